"""Read other people's solutions from text files, and replay each one.

In: files and folders of compact catalogue lines, or of documents in any dialect that `notation` reads. Out: the solutions that win, as
rows, and what is wrong with the others. `importing` imports it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.cards.board_text import decode
from pipeline.cards.errors import Failed, InputError, NotationError
from pipeline.deal.identify import identify
from pipeline.deal.microsoft import LAST_GAME, deal
from pipeline.notation.bulk_convert import rewrite_many
from pipeline.notation.bulk_replay import BATCH, Batch, is_catalogue, reasons
from pipeline.notation.bulk_scan import Lines, scan_catalogue
from pipeline.notation.dialects import read_any
from pipeline.notation.document import STANDARD_FREECELLS, Document, start_position, verify
from pipeline.notation.rewrite import Writing, rewrite
from pipeline.notation.standard_write import moves_text
from pipeline.play.automove import AutomoveRule
from pipeline.play.bulk import RESULTS, Verdicts, replay_catalogue, replay_many
from pipeline.play.position import EMPTY, Position, is_layout, layout_of
from pipeline.play.replay import RuleSet
from pipeline.run.engine import run_tasks

ROWS: Final = pa.schema(
    [
        ("line", pa.int64()),
        ("game_number", pa.int64()),
        ("freecells", pa.uint8()),
        ("automove", pa.string()),
        ("moves", pa.large_string()),
        ("move_count", pa.int32()),
        ("written_move_count", pa.int32()),
        ("card_move_count", pa.int32()),
    ]
)
"""What an import knows of a solution: its line in the file, and columns of `solutions`; no automoves come before the first move."""


class Rejected(NamedTuple):
    """A text that is no solution: where it stands, its game, its first illegal move and why."""

    file: str
    line: int
    game_number: int | None
    move: int | None
    reason: str


@dataclass(frozen=True)
class Reading:
    """How to read what the texts leave unsaid: the automove rule, automoves before the first move, how many freecells."""

    automove: AutomoveRule | None = None
    initial: bool = False
    freecells: int | None = None


class Found(NamedTuple):
    """The solutions of some texts (`ROWS`) and the texts that are none."""

    rows: pa.Table
    rejected: list[Rejected]


def find_files(paths: list[str]) -> list[Path]:
    """List the files named and those in the folders named, sorted, hidden ones left out; raises InputError where there are none."""
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = (p for p in path.rglob("*") if p.is_file())
            files += sorted(p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts))
        elif path.is_file():
            files.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    if not files:
        raise InputError(f"{', '.join(paths)}: no files in there")
    return files


def read_file(path: Path, reading: Reading, jobs: int | None = None) -> Iterator[Found]:
    """Read and replay the solutions of one file, batch by batch in any order.

    Raises InputError where an option conflicts with the file's dialect; what is wrong with a text is said in `Found`.
    """
    data = path.read_bytes()
    if is_catalogue(data):
        if reading.automove not in (None, "max"):
            raise InputError(f"{path}: a compact catalogue is made for automove max, not {reading.automove}")
        lines = scan_catalogue(np.frombuffer(data, np.uint8))
        batches = [Lines(*(a[i : i + BATCH] for a in lines)) for i in range(0, lines.line.size, BATCH)]
        freecells = STANDARD_FREECELLS if reading.freecells is None else reading.freecells
        yield from run_tasks(partial(_read_lines, str(path), data, freecells), batches, jobs)
        return
    try:
        text = decode(data, str(path))
    except InputError as error:
        yield Found(ROWS.empty_table(), [Rejected(str(path), 1, None, None, str(error).removeprefix(f"{path}: "))])
        return
    yield _read_documents(str(path), text, reading)


def _rows(lines: Any, numbers: Any, freecells: int, automove: str, moves: pa.Array, verdicts: Verdicts) -> pa.Table:
    """All texts of one rule set as rows, won or not."""
    n = len(numbers)
    columns = [
        pa.array(lines, pa.int64()),
        pa.array(numbers, pa.int64()),
        pa.array(np.full(n, freecells, np.uint8)),
        pa.repeat(pa.scalar(automove), n),
        moves,
        *(pa.array(c) for c in (verdicts.move_count, verdicts.written_move_count, verdicts.card_move_count)),
    ]
    return pa.Table.from_arrays(columns, schema=ROWS)


def _read_lines(file: str, data: bytes, freecells: int, lines: Lines) -> Found:
    """Write catalogue lines as standard notation and replay what was written.

    Those that do not win are replayed once more, as catalogue lines, for the reason.
    """
    text = np.frombuffer(data, np.uint8)
    layouts = deal(lines.game_number)
    written = rewrite_many(layouts, text, lines.starts, lines.ends, is_catalogue=True, freecells=freecells)
    verdicts = replay_many(layouts, *written, automove="max", freecells=freecells)
    wins = verdicts.is_won & (lines.is_readable == 1)
    moves = pa.LargeStringArray.from_buffers(lines.line.size, pa.py_buffer(written.offsets), pa.py_buffer(written.text))
    rows = _rows(lines.line, lines.game_number, freecells, "max", moves, verdicts).filter(pa.array(wins))
    lost = Lines(*(array[~wins] for array in lines))
    judged = replay_catalogue(layouts[~wins], text, lost.starts, lost.ends, freecells=freecells)
    rejected = []
    for i, reason in enumerate(reasons(Batch(lost, judged))):
        if lost.is_readable[i]:
            game, move = int(lost.game_number[i]), int(judged.illegal_move[i]) or None
            rejected.append(Rejected(file, int(lost.line[i]), game, move, reason or _unfinished(judged, i)))
        else:
            rejected.append(_unread(file, int(lost.line[i]), str(reason)))
    return Found(rows, rejected)


def _unfinished(verdicts: Verdicts, index: int) -> str:
    return f"{RESULTS[verdicts.result[index]]}: {52 - int(verdicts.home[index].sum())} cards are not home"


def _read_documents(file: str, text: str, reading: Reading) -> Found:
    """Read documents one by one and replay them together, by rule set."""
    rejected = []
    texts: dict[tuple[int, str], list[tuple[int, int, str]]] = {}  # by freecells and automove: game, line, moves
    for document in read_any(text, freecells=reading.freecells):
        if isinstance(document, NotationError):
            rejected.append(_unread(file, 1, str(document)))
            continue
        try:
            number, freecells, automove, moves = _standard_moves(document, reading)
        except _Refused as refused:
            rejected.append(Rejected(file, document.line, document.game_number, refused.move, str(refused)))
        except (InputError, Failed) as error:
            rejected.append(Rejected(file, document.line, document.game_number, None, str(error)))
        else:
            texts.setdefault((freecells, automove), []).append((number, document.line, moves))
    tables = [ROWS.empty_table()]
    for (freecells, automove), entries in texts.items():
        numbers, lines, moves_of = zip(*entries, strict=True)
        moves = pa.array(moves_of, pa.large_string())
        _, offsets, data = moves.buffers()
        verdicts = replay_many(
            deal(np.array(numbers)),
            np.frombuffer(data or b"", np.uint8),
            np.frombuffer(offsets, np.int64)[: len(moves) + 1],
            automove=automove,
            freecells=freecells,
        )
        wins = verdicts.is_won & (verdicts.moves_left == 0)
        tables.append(_rows(lines, numbers, freecells, automove, moves, verdicts).filter(pa.array(wins)))
        for i in np.flatnonzero(~wins).tolist():
            left = int(verdicts.moves_left[i])
            reason = f"won with {left} moves left over" if left else verdicts.reason(i) or _unfinished(verdicts, i)
            rejected.append(Rejected(file, lines[i], numbers[i], int(verdicts.illegal_move[i]) or None, reason))
    return Found(pa.concat_tables(tables), rejected)


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
    )
    start, first = start_position(document, reading.freecells)
    number = _number_of(document, start)
    freecells = sum(card == EMPTY for card in start.freecells)
    is_plain = rules == RuleSet(rules.automove) and all(move.count in (None, 1) for move in document.moves)
    if is_plain and not first and document.bracket is None and (document.shown is None or is_layout(document.shown)):
        return number, freecells, rules.automove, moves_text(document.moves)
    verdict = verify(document, rules, reading.freecells)
    if verdict.result != "won" or verdict.replay.moves_left_over:
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


def _unread(file: str, line: int, reason: str) -> Rejected:
    """A text that a reader turned down: the line that its reason begins with counts, where it names one."""
    match = re.match(r"line (\d+): ", reason)
    return Rejected(file, int(match[1]) if match else line, None, None, reason[match.end() :] if match else reason)
