"""Freecell Solver's output: its verbose solution, and its extended standard notation.

In: text as `fc-solve -p` prints it with `-m` or `-sam`, with or without `-snx`, `-sel` and `-t`. Out: a `Document` for each solution,
and back.

Nothing goes home by itself: moves home are written out. `26v3` is a move of 3 cards (a hexadecimal digit) into an empty column; without
v such a move is of one card. The verbose form counts stacks and freecells from 0 (Freecell Solver's manual, USAGE, -m and -snx).
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.cards.errors import BoardError, IllegalMoveError, NotationError
from pipeline.games.freecell.board.read import read_board
from pipeline.games.freecell.board.words import numbered_lines, quote
from pipeline.games.freecell.board.write import write_fcsolve as write_board
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document, start_position
from pipeline.games.freecell.rules.moves import Move, carry, resolve
from pipeline.games.freecell.rules.position import CELL, HOME, MAX_FREECELLS, PLACES, Position, from_board, to_board
from pipeline.games.freecell.rules.replay import RuleSet

FCSOLVE_RULES: Final = RuleSet("none")

_MOVES_PER_LINE: Final = 10
_HEADER: Final = re.compile(r"(?:-=)+-?\s*$")
_BOARD: Final = re.compile(r"\s*(?::|(?:foundations|founds?|freecells?|fc)\s*:)", re.IGNORECASE)
_CELLS: Final = re.compile(r"^\s*(?:freecells?|fc)\s*:(.*)$", re.IGNORECASE | re.MULTILINE)
_VERBOSE: Final = re.compile(
    r"Move (?:a card|([0-9]{1,2}) cards) from (stack|freecell) ([0-9]) to (?:(?:(stack|freecell) ([0-9]))|the foundations)\.?\s*$"
)
_WORD: Final = re.compile(r"([1-8a-gk][1-8a-ghk])(?:v([0-9a-f]))?$")
_MOVE_LINE: Final = re.compile(
    r"(?:Move:\s*)?([1-8a-gk][1-8a-ghk](?:v[0-9a-f])?(?:\s+[1-8a-gk][1-8a-ghk](?:v[0-9a-f])?)*)\s*$"
)
_STATUS: Final = re.compile(r"This game is solve?able|I could not solve this game|Iterations count exceeded")


@dataclass
class _Draft:
    line: int
    board: list[str] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    is_board_closed: bool = False


def looks_like_fcsolve(text: str) -> bool:
    """Whether a text is Freecell Solver's output rather than another dialect."""
    for _, line in numbered_lines(text[:20_000]):
        if _HEADER.match(line) or _VERBOSE.match(line.strip()) or _STATUS.match(line):
            return True
        if _BOARD.match(line) or (_MOVE_LINE.match(line) and "v" in line):
            return True
    return False


def read_fcsolve(text: str, game_number: int | None = None, freecells: int | None = None) -> list[Document]:
    """Read every solution of a text; the position shown is the first board of each.

    States after the first are passed over: the moves tell them. Where moves are printed without a board, ``game_number`` tells it;
    ``freecells``, where the board does not. Raises NotationError where a board has defects or nothing is found.
    """
    drafts: list[_Draft] = []
    for number, line in numbered_lines(text):
        stripped = line.strip()
        if _HEADER.match(stripped) or not drafts:
            drafts.append(_Draft(number))
        draft = drafts[-1]
        if _BOARD.match(line):
            if not draft.is_board_closed:
                draft.board.append(line)
        elif stripped:
            draft.is_board_closed = draft.is_board_closed or bool(draft.board)
            draft.moves += _moves(stripped, number)
    found = [draft for draft in drafts if draft.board or draft.moves]
    if not found:
        said = _STATUS.search(text)
        hint = f"it says: {said[0]}" if said else "print them with fc-solve -p -t -sam -sel"
        raise NotationError(f"no board and no moves of Freecell Solver found; {hint}")
    return [_finish(draft, game_number, freecells) for draft in found]


def _moves(line: str, number: int) -> list[Move]:
    verbose = _VERBOSE.match(line)
    if verbose:
        source = int(verbose[3]) + (CELL if verbose[2] == "freecell" else 0)
        target = int(verbose[5]) + (CELL if verbose[4] == "freecell" else 0) if verbose[4] else HOME
        for kind, place in ((verbose[2], verbose[3]), (verbose[4], verbose[5])):
            if kind and int(place) >= MAX_FREECELLS:
                raise NotationError(f"line {number}: there is no {kind} {place}")
        return [Move(source, target, int(verbose[1] or 1))]
    words = _MOVE_LINE.match(line)
    if words is None:
        if line.startswith("Move"):
            raise NotationError(f"line {number}: not a move of FreeCell: {quote(line)}")
        return []
    moves = []
    for word in words[1].split():
        match = _WORD.match(word)
        assert match is not None  # _MOVE_LINE is made of these
        source, target = PLACES[match[1][0]], PLACES[match[1][1]]
        moves.append(Move(source, target, int(match[2], 16) if match[2] else None))
    return moves


def _finish(draft: _Draft, game_number: int | None, freecells: int | None) -> Document:
    shown = None
    if draft.board:
        text = "\n".join(draft.board)
        try:
            reading = read_board(text, lenient=False, freecells=_count_cells(text) if freecells is None else freecells)
        except BoardError as error:
            raise NotationError(f"the board at line {draft.line}: {error}") from None
        shown = from_board(reading.board)
    document = Document(game_number, None, shown, tuple(draft.moves), None, FCSOLVE_RULES, draft.line)
    if not draft.moves:
        return document
    start, _ = start_position(document, freecells)
    return replace(document, moves=_complete(start, draft.moves))


def _count_cells(board: str) -> int:
    """How many freecells a printed board has: four characters each, unless the blanks at the line's end were lost."""
    match = _CELLS.search(board)
    cells = match[1] if match else ""
    if cells[-1:] == " " and len(cells) % 4 == 0:
        return min(len(cells) // 4, MAX_FREECELLS)
    return min(max(STANDARD_FREECELLS, len(cells.split())), MAX_FREECELLS)


def _complete(position: Position, moves: list[Move]) -> tuple[Move, ...]:
    """Give each move its number of cards, one where it goes into an empty column without a v; as far as the moves are legal."""
    done: list[Move] = []
    for move in moves:
        into_empty = move.target < CELL and not position.columns[move.target]
        try:
            done.append(resolve(position, replace(move, count=1) if into_empty and move.count is None else move))
        except IllegalMoveError:
            break
        position = carry(position, done[-1])
    return tuple(done + moves[len(done) :])


def write_fcsolve(document: Document, verbose: bool = False) -> str:
    """Write a document whose every move has its number of cards, as Freecell Solver prints it.

    Raises NotationError for what its output cannot say.
    """
    if document.rules != FCSOLVE_RULES or document.shown is None or document.bracket is not None:
        raise NotationError(f"Freecell Solver's output shows the board and has moves under {FCSOLVE_RULES}")
    try:
        board = write_board(to_board(document.shown), printed=True)
    except BoardError as error:
        raise NotationError(str(error)) from None
    text = f"-=-=-=-=-=-=-=-=-=-=-=-\n\n{board}\n" + (
        _verbose(document.moves) if verbose else _extended(document.moves)
    )
    if read_fcsolve(text, document.game_number) != [document]:
        raise NotationError("the document would read back as another one: Freecell Solver's output cannot say it")
    return text


def _verbose(moves: tuple[Move, ...]) -> str:
    return "".join(f"\n====================\n\n{_sentence(move)}\n" for move in moves) + "\n====================\n"


def _sentence(move: Move) -> str:
    def place(number: int) -> str:
        return (
            "the foundations"
            if number == HOME
            else f"freecell {number - CELL}"
            if number >= CELL
            else f"stack {number}"
        )

    is_between = move.source < CELL and move.target < CELL
    return f"Move {f'{move.count} cards' if is_between else 'a card'} from {place(move.source)} to {place(move.target)}"


def _extended(moves: tuple[Move, ...]) -> str:
    words = [str(move) + (f"v{move.count:x}" if move.count is not None and move.count > 1 else "") for move in moves]
    lines = [" ".join(words[start : start + _MOVES_PER_LINE]) for start in range(0, len(words), _MOVES_PER_LINE)]
    return "\n====================\n\n" + "".join(line + "\n" for line in lines)
