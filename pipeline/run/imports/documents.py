"""Read documents of solutions, in standard notation or any other dialect, and replay each one.

In: the text of a file. Out: the solutions that win, and the texts that are none.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from pipeline.cards.errors import Failed, InputError, NotationError
from pipeline.games.freecell.deal.identify import identify
from pipeline.games.freecell.deal.microsoft import LAST_GAME
from pipeline.games.freecell.notation.bulk_documents import scan_documents
from pipeline.games.freecell.notation.dialects import detect, read_any
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS, Document, start_position, verify
from pipeline.games.freecell.notation.rewrite import Writing, rewrite
from pipeline.games.freecell.notation.standard_write import moves_text
from pipeline.games.freecell.rules.position import EMPTY, Position, is_layout, layout_of
from pipeline.games.freecell.rules.replay import RuleSet
from pipeline.run.imports.rows import ROWS, Found, Reading, Rejected, joined, replayed, unread


def read_documents(file: str, text: str, reading: Reading, jobs: int) -> Found:
    """Read documents of one file and replay them together, by rule set: plain ones by compiled code, the others one by one."""
    data = text.encode()
    is_usual = not reading.initial and reading.limit != "single" and (reading.freecells or 0) <= STANDARD_FREECELLS
    if not is_usual or detect(text) != "standard":
        return _read_others(file, text, 1, reading)
    documents = scan_documents(np.frombuffer(data, np.uint8))
    is_plain = documents.is_plain == 1
    moves = pa.LargeStringArray.from_buffers(
        is_plain.size, pa.py_buffer(documents.offsets), pa.py_buffer(documents.text)
    ).filter(pa.array(is_plain))
    rules = STANDARD_FREECELLS if reading.freecells is None else reading.freecells, reading.automove or "horne"
    found = [replayed(file, documents.line[is_plain], documents.game_number[is_plain], *rules, moves, jobs)]
    for i in np.flatnonzero(~is_plain).tolist():
        piece = data[documents.starts[i] : documents.ends[i]].decode()
        found.append(_read_others(file, piece, int(documents.line[i]), reading))
    return joined(found)


def _read_others(file: str, text: str, first_line: int, reading: Reading) -> Found:
    """Read documents of any dialect one by one; the text begins at ``first_line`` of its file."""
    rejected = []
    texts: dict[tuple[int, str], list[tuple[int, int, str]]] = {}  # by freecells and automove: line, game, moves
    for document in read_any(text, freecells=reading.freecells):
        if isinstance(document, NotationError):
            rejected.append(unread(file, 1, str(document), first_line))
            continue
        number, line = document.game_number, document.line + first_line - 1
        try:
            game, freecells, automove, moves = _standard_moves(document, reading)
        except _Refused as refused:
            rejected.append(Rejected(file, line, number, refused.move, str(refused)))
        except (InputError, Failed) as error:
            rejected.append(Rejected(file, line, number, None, unread(file, line, str(error)).reason))
        else:
            texts.setdefault((freecells, automove), []).append((line, game, moves))
    found = [Found(ROWS.empty_table(), rejected)]
    for rules, entries in texts.items():
        lines, numbers, moves_of = zip(*entries, strict=True)
        found.append(replayed(file, lines, np.array(numbers), *rules, pa.array(moves_of, pa.large_string())))
    return joined(found)


class _Refused(Exception):  # noqa: N818 - it never leaves this module
    """A document whose replay does not win, and its first illegal move."""

    def __init__(self, reason: str, move: int | None):
        super().__init__(reason)
        self.move = move


def _standard_moves(document: Document, reading: Reading) -> tuple[int, int, str, str]:
    """Game number, freecells, automove rule and moves of a document, in standard notation with no automove before the first move.

    Moves that say all that by themselves are not replayed here; `replay_many` does it.
    """
    rules = replace(
        document.rules,
        automove=reading.automove or document.rules.automove,
        initial=reading.initial or document.rules.initial,
        limit=reading.limit or document.rules.limit,
    )
    start, first = start_position(document, reading.freecells)
    number = _number_of(document, start)
    freecells = sum(card == EMPTY for card in start.freecells)
    is_plain = rules == RuleSet(rules.automove) and all(move.count in (None, 1) for move in document.moves)
    if is_plain and not first and document.bracket is None and (document.shown is None or is_layout(document.shown)):
        return number, freecells, rules.automove, moves_text(document.moves)
    verdict = verify(document, rules, reading.freecells)
    if verdict.result != "won":
        left = 52 - sum(verdict.replay.position.foundations)
        raise _Refused(verdict.reason or f"{verdict.result}: {left} cards are not home", verdict.illegal_move)
    written = rewrite(start, verdict.replay, Writing(RuleSet(rules.automove), periods=True))
    return number, freecells, rules.automove, moves_text(written.moves)


def _number_of(document: Document, start: Position) -> int:
    """The number of the game whose dealt layout a document begins with; raises InputError for any other beginning."""
    if not is_layout(start):
        raise InputError("it begins in mid-game; a solution begins with the dealt layout")
    if document.is_known_game and document.game_number is not None:
        if not 0 <= document.game_number <= LAST_GAME:
            raise InputError(f"the special layout {document.game_number} is no numbered game")
        return document.game_number
    matches = [match.game_number for match in identify(layout_of(start)) if match.suits == "CDHS"]
    if not matches:
        raise InputError("no game number deals this layout")
    return matches[0]
