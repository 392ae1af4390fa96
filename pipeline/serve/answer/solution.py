"""One game or board, solved and shown.

In: what a person names or writes: a game number, a board, a game in any dialect. Out: a position, and an outcome as
text or as a row of `solutions`.
"""

from dataclasses import replace
from typing import Any

from pipeline.cards.errors import BoardError, Failed, GameNumberError, InputError
from pipeline.cards.numbers import read_game_number
from pipeline.games.freecell.board.read import read_board
from pipeline.games.freecell.board.words import decode
from pipeline.games.freecell.board.write import write_fixed
from pipeline.games.freecell.notation.dialects import read_all
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document, game_position, with_freecells
from pipeline.games.freecell.notation.fcsolve import FCSOLVE_RULES, write_fcsolve
from pipeline.games.freecell.notation.rewrite import Writing, rewrite
from pipeline.games.freecell.notation.standard_write import write_standard
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.moves import LIMITS, Move
from pipeline.games.freecell.rules.position import BLOCKED, PLACES, Position, from_board, is_layout, to_board
from pipeline.games.freecell.rules.replay import Replay, RuleSet, replay
from pipeline.games.freecell.solve.outcome import SOLVER, Outcome
from pipeline.games.freecell.tables.solutions import AUTOMOVE, solution_record


def is_game_number(text: str) -> bool:
    """Whether a text names a game by its number, in any spelling that `read_game_number` takes."""
    try:
        read_game_number(text)
    except GameNumberError:
        return False
    return True


def numbered_game(text: str, freecells: int | None = None) -> Document:
    """Deal the game that a number names; raises GameNumberError where there is none."""
    number = read_game_number(text)
    return Document(number, shown=game_position(number, STANDARD_FREECELLS if freecells is None else freecells))


def read_game(data: bytes, name: str, freecells: int | None = None) -> Document:
    """Read a board, or the game of a text in any dialect, as the position that it shows.

    Raises InputError for a text that shows none or several, or with cards in cells that the game is not to have.
    """
    text = decode(data, name)
    try:
        cells = STANDARD_FREECELLS if freecells is None else freecells
        return Document(shown=from_board(read_board(text, freecells=cells).board))
    except BoardError as error:
        try:
            documents = read_all(text, freecells=freecells)
        except InputError:
            raise InputError(f"{name}: {error}") from None
    if len(documents) != 1:
        raise InputError(f"{name}: {len(documents)} games; give one")
    (found,) = documents
    if found.shown is not None:
        shown = found.shown if freecells is None else with_freecells(found.shown, freecells)
        return Document(found.game_number if is_layout(shown) else None, shown=shown)
    if not found.is_known_game:
        raise InputError(f"{name}: no board and no game number in it")
    return numbered_game(str(found.game_number), freecells)


def replayed(position: Position, outcome: Outcome) -> Replay | None:
    """Replay an outcome's moves by the plain rules, under both supermove limits; None where it has none.

    Raises Failed where they do not win.
    """
    if outcome.moves is None:
        return None
    moves = parse_moves(outcome.moves)
    found = [replay(position, moves, AUTOMOVE, limit=limit) for limit in LIMITS]
    for limit, one in zip(LIMITS, found, strict=True):
        if one.result != "won" or one.moves_left_over:
            raise Failed(
                f"the solver's own solution does not replay under limit {limit}: {one.reason or one.result}; this is a "
                f"defect: {outcome.moves}"
            )
    return found[0]


def parse_moves(text: str) -> tuple[Move, ...]:
    """Read the moves of a text as tables hold them: ``4a .57 2h``."""
    return tuple(Move(PLACES[word[-2]], PLACES[word[-1]], 1 if word.startswith(".") else None) for word in text.split())


def solution_text(game: Document, outcome: Outcome) -> str:
    """Write a solved game in Standard FreeCell Notation: layout and moves; see `moves_text` for more than four freecells."""
    assert outcome.moves is not None
    return moves_text(game, parse_moves(outcome.moves), AUTOMOVE)


def moves_text(game: Document, moves: tuple[Move, ...], rule: AutomoveRule) -> str:
    """Write a game and the moves that win it under an automove rule, so that `replay` reads them.

    Standard FreeCell Notation has no word for automove max, nor places for more than four freecells: a reader has to be told of these.
    A board in mid-game with more freecells is written as Freecell Solver prints it, where every card that goes home is a move.
    """
    shown = game.shown
    assert shown is not None
    has_places = len(shown.freecells) <= STANDARD_FREECELLS
    if rule != "max" and has_places:
        return write_standard(replace(game, moves=moves, rules=RuleSet(rule)))
    if not has_places and not is_layout(shown):
        written = rewrite(shown, replay(shown, moves, rule), Writing(FCSOLVE_RULES, counts=True, limits=("doubling",)))
        return write_fcsolve(replace(game, moves=written.moves, rules=FCSOLVE_RULES))
    title = "" if game.game_number is None else f"GAME #{game.game_number}\n"
    is_plain = is_layout(shown) and len(shown.freecells) >= STANDARD_FREECELLS and BLOCKED not in shown.freecells
    lines = write_standard(Document(1, moves=moves)).partition("\n")[2]
    return title + write_fixed(to_board(shown), cell_line=not is_plain) + lines


def solution_row(game: Document, outcome: Outcome, found: Replay | None) -> dict[str, Any]:
    """Lay an outcome out as a row of `solutions`; ``found`` is its replay. A board that is no numbered game has no number."""
    assert game.shown is not None
    told = {
        "game_number": game.game_number,
        "freecells": sum(card != BLOCKED for card in game.shown.freecells),
        "automove": AUTOMOVE,
        "status": outcome.status,
        "moves": outcome.moves,
        "move_count": found and found.move_count,
        "written_move_count": found and found.written_move_count,
        "card_move_count": found and found.card_move_count,
        "nodes": outcome.nodes,
        "budget": outcome.budget,
        "tier": outcome.tier,
        "source": SOLVER,
    }
    return solution_record(told)
