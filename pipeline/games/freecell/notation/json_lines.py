"""Documents as JSON, one object a line, with nothing left unsaid.

In: a `Document` whose every move has its number of cards. Out: a line of JSON, and back.
"""

import json
import re
from typing import Any, Final

from pipeline.cards.codes import CARD_NAMES, SUITS
from pipeline.cards.errors import NotationError
from pipeline.games.freecell.board.board import BLOCKED, CELL_LETTERS, COLUMNS, EMPTY, MAX_FREECELLS, Board, census
from pipeline.games.freecell.board.words import STRICT_CARDS, numbered_lines, quote
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.document import Document
from pipeline.games.freecell.rules.automove import AUTOMOVE_RULES
from pipeline.games.freecell.rules.moves import LIMITS, Move
from pipeline.games.freecell.rules.position import PLACES, from_board
from pipeline.games.freecell.rules.replay import RuleSet

MAX_LINE: Final = 100_000
"""Characters of one document: the longest game needs a tenth of it."""

_CELL_NAMES: Final = {EMPTY: "-", BLOCKED: "BB"}
_CELL_CODES: Final = {name: code for code, name in _CELL_NAMES.items()}
_MOVE: Final = re.compile(r"([1-8a-gk])([1-8a-ghk])(?:v([1-9a-f]))?")


def write_json(document: Document) -> str:
    """Write a document with its start position and rules as one line of JSON; ``26v3`` is a move of three cards."""
    shown, rules = document.shown, document.rules
    if (
        shown is None
        or rules.packed
        or document.bracket is not None
        or any(move.count is None for move in document.moves)
    ):
        raise NotationError("a JSON document shows its start and gives each move its freecell and its number of cards")
    row = {
        "game_number": document.game_number,
        "columns": [" ".join(CARD_NAMES[card] for card in column) for column in shown.columns],
        "freecells": " ".join(_CELL_NAMES.get(card) or CARD_NAMES[card] for card in shown.freecells),
        "home": shown.home,
        "automove": rules.automove,
        "initial_automove": rules.initial,
        "limit": rules.limit,
        "moves": " ".join(str(move) + (f"v{move.count:x}" if (move.count or 1) > 1 else "") for move in document.moves),
    }
    return json.dumps(row) + "\n"


def read_json(text: str) -> list[Document]:
    """Read a document a line, as `write_json` writes it; raises NotationError with the line for anything else."""
    documents = []
    for number, line in numbered_lines(text):
        if line.strip():
            try:
                documents.append(_read_line(number, line))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                reason = f"no {error}" if isinstance(error, KeyError) else str(error)
                raise NotationError(f"line {number}: not a JSON document of moves: {quote(reason)}") from None
    if not documents:
        raise NotationError("no JSON document found")
    return documents


def _read_line(number: int, line: str) -> Document:
    if len(line) > MAX_LINE:
        raise ValueError(f"longer than a line may be ({MAX_LINE} characters)")
    row: dict[str, Any] = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not an object")
    columns = tuple(tuple(_card(name) for name in _text(column).split()) for column in row["columns"])
    freecells = tuple(
        _CELL_CODES[name] if name in _CELL_CODES else _card(name) for name in _text(row["freecells"]).split()
    )
    foundations = tuple(_foundation(word, suit) for word, suit in zip(_text(row["home"]).split(), SUITS, strict=True))
    if len(columns) != COLUMNS or len(freecells) > MAX_FREECELLS:
        raise ValueError(f"{len(columns)} columns and {len(freecells)} freecells")
    board = Board(columns, freecells, foundations)
    defects = census(board)
    if defects:
        raise ValueError("; ".join(defects))
    game = row["game_number"]
    if game is not None and (
        not isinstance(game, int) or isinstance(game, bool) or not -LAST_GAME <= game <= LAST_GAME
    ):
        raise ValueError("game_number is no game number")
    automove, limit, initial = row["automove"], row["limit"], row["initial_automove"]
    if automove not in AUTOMOVE_RULES or limit not in LIMITS or not isinstance(initial, bool):
        raise ValueError("automove, initial_automove or limit is not one of the rules")
    moves = tuple(_move(word) for word in _text(row["moves"]).split())
    return Document(game, None, from_board(board), moves, None, RuleSet(automove, initial, limit), number)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r}"[:60])
    return value


def _card(name: str) -> int:
    if name not in STRICT_CARDS:
        raise ValueError(f"not a card: {name[:10]}")
    return STRICT_CARDS[name]


def _foundation(word: str, suit: str) -> int:
    match = re.fullmatch(rf"{suit}(1[0-3]|[0-9])", word)
    if match is None:
        raise ValueError(f"not a foundation such as {suit}13: {word[:10]}")
    return int(match[1])


def _move(word: str) -> Move:
    match = _MOVE.fullmatch(word)
    if match is None:
        raise ValueError(f"not a move: {word[:10]} (cells {CELL_LETTERS})")
    return Move(PLACES[match[1]], PLACES[match[2]], int(match[3] or "1", 16))
