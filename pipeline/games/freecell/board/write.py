"""Write boards as text, in each form that is read.

In: a `Board`. Out: text that ends with a line end.
"""

from pipeline.cards.codes import CARD_NAMES, RANKS, SUITS
from pipeline.cards.errors import BoardError
from pipeline.games.freecell.board.board import BLOCKED, CELL_LETTERS, EMPTY, Board
from pipeline.games.freecell.board.fixed_width import CELL_STARTS, HOME_STARTS, PLUS_AT, SEPARATORS
from pipeline.games.freecell.board.words import UNKNOWN_NAME


def write_columns(board: Board) -> str:
    """Write one column a line, after lines of foundations and freecells where a card lies there or the freecells are not four."""
    is_plain = board.freecells == (EMPTY,) * 4 and not any(board.foundations) and all(board.columns)
    return "".join(_name_line(column) for column in board.columns) if is_plain else write_fcsolve(board)


def write_rows(board: Board) -> str:
    """Write one row a line; raises BoardError for a board that is no fresh deal, since rows cannot show gaps."""
    if not board.is_layout:
        raise BoardError(["only a fresh deal can be written in rows; the standard form shows any position"])
    return "".join(_name_line(tuple(column[row] for column in board.columns if row < len(column))) for row in range(7))


def write_fcsolve(board: Board, printed: bool = False) -> str:
    """Write a board as Freecell Solver reads it, an empty freecell as a minus sign, or ``printed`` as by `-p -t`: as four blanks.

    Raises BoardError for a blocked freecell before an open one, which that form cannot show.
    """
    if BLOCKED in board.freecells:
        raise BoardError(["a blocked freecell can be written in the standard form only"])
    homes = " ".join(f"{SUITS[suit]}-{('0' + RANKS)[board.foundations[suit]]}" for suit in (2, 0, 1, 3))
    if printed:
        cells = "".join("    " if card == EMPTY else f"{CARD_NAMES[card]:>4}" for card in board.freecells)
    else:
        cells = "".join(" -" if card == EMPTY else f" {CARD_NAMES[card]}" for card in board.freecells)
    return f"Foundations: {homes}\nFreecells:{cells}\n" + "".join(": " + _name_line(column) for column in board.columns)


def write_fixed(board: Board, separator: str = "-", cell_line: bool = True) -> str:
    """Write the fixed-width layout of Standard FreeCell Notation, with `-` (Horne automoves) or `=` (WKR) between the freecells.

    Raises BoardError for more than four freecells, which have no place in its first line.
    """
    lines = [cell_home_line(board, separator)] if cell_line else []
    for row in range(max((len(column) for column in board.columns), default=0)):
        names = [_name(column[row]) if row < len(column) else "  " for column in board.columns]
        lines.append(" ".join(names).rstrip())
    return "".join(line + "\n" for line in lines)


def cell_home_line(board: Board, separator: str = "-") -> str:
    """Write the freecell+home line: 23 positions, missing freecells as BB, home cards in the order C D H S."""
    if len(board.freecells) > len(CELL_STARTS):
        raise BoardError(
            [
                f"{len(board.freecells)} freecells: the freecell+home line has places for {CELL_LETTERS[: len(CELL_STARTS)]} only"
            ]
        )
    line = [" "] * (HOME_STARTS[-1] + 2)
    for at in SEPARATORS:
        line[at] = separator
    line[PLUS_AT] = "+"
    for index, start in enumerate(CELL_STARTS):
        card = board.freecells[index] if index < len(board.freecells) else BLOCKED
        line[start : start + 2] = "BB" if card == BLOCKED else "  " if card == EMPTY else CARD_NAMES[card]
    for suit, start in enumerate(HOME_STARTS):
        rank = board.foundations[suit]
        if rank:
            line[start : start + 2] = CARD_NAMES[4 * (rank - 1) + suit]
    return "".join(line).rstrip()


def _name(card: int) -> str:
    return CARD_NAMES[card] if card < len(CARD_NAMES) else UNKNOWN_NAME


def _name_line(cards: tuple[int, ...]) -> str:
    return " ".join(_name(card) for card in cards) + "\n"
