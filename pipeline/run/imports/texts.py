"""Read other people's solutions from text files, and replay each one.

In: files and folders of compact catalogue lines, or of documents in any dialect that `notation` reads. Out: the solutions that win, as
rows, and what is wrong with the others.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from pipeline.cards.errors import InputError
from pipeline.games.freecell.board.words import decode, strip_marks
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.bulk_convert import rewrite_many
from pipeline.games.freecell.notation.bulk_replay import BATCH, Batch, is_catalogue, reasons
from pipeline.games.freecell.notation.bulk_scan import Lines, scan_catalogue
from pipeline.games.freecell.notation.document import STANDARD_FREECELLS
from pipeline.games.freecell.rules.bulk import replay_catalogue, replay_many
from pipeline.run.engine.tasks import Engine, default_jobs
from pipeline.run.imports.documents import read_documents
from pipeline.run.imports.rows import ROWS, Found, Reading, Rejected, rows_of, unfinished, unread

STDIN: Final = Path("-")


def find_files(paths: list[str]) -> list[Path]:
    """List the files named and those in the folders named, sorted, hidden ones left out; - is stdin, once.

    Raises InputError where there are none.
    """
    files: list[Path] = []
    for path in map(Path, paths):
        if path == STDIN and STDIN not in files:
            files.append(path)
        elif path.is_dir():
            inside = (p for p in path.rglob("*") if p.is_file())
            files += sorted(p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts))
        elif path.is_file():
            files.append(path)
        else:
            raise InputError(f"{path}: no such file or folder")
    if not files:
        raise InputError(f"{', '.join(paths)}: no files in there")
    return files


def name_of(path: Path) -> str:
    """Name a file in messages."""
    return "stdin" if path == STDIN else str(path)


def read_file(path: Path, reading: Reading, jobs: int | None = None) -> Iterator[Found]:
    """Read and replay the solutions of one file, batch by batch in any order.

    Raises InputError where an option conflicts with the file's dialect; what is wrong with a text is said in `Found`.
    """
    name = name_of(path)
    data = strip_marks(sys.stdin.buffer.read() if path == STDIN else path.read_bytes())
    if is_catalogue(data):
        if reading.automove not in (None, "max"):
            raise InputError(f"{name}: a compact catalogue is made for automove max, not {reading.automove}")
        if reading.limit == "single":
            raise InputError(f"{name}: a compact catalogue is made for limit doubling, not single")
        lines = scan_catalogue(np.frombuffer(data, np.uint8))
        batches = [Lines(*(a[i : i + BATCH] for a in lines)) for i in range(0, lines.line.size, BATCH)]
        freecells = STANDARD_FREECELLS if reading.freecells is None else reading.freecells
        yield from Engine(jobs=jobs).run(partial(_read_lines, name, data, freecells), batches)
        return
    try:
        text = decode(data, name)
    except InputError as error:
        yield Found(ROWS.empty_table(), [Rejected(name, 1, None, None, str(error).removeprefix(f"{name}: "))])
        return
    yield read_documents(name, text, reading, jobs or default_jobs())


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
    rows = rows_of(lines.line, lines.game_number, freecells, "max", moves, verdicts).filter(pa.array(wins))
    lost = Lines(*(array[~wins] for array in lines))
    judged = replay_catalogue(layouts[~wins], text, lost.starts, lost.ends, freecells=freecells)
    rejected = []
    for i, reason in enumerate(reasons(Batch(lost, judged))):
        if lost.is_readable[i]:
            game, move = int(lost.game_number[i]), int(judged.illegal_move[i]) or None
            rejected.append(Rejected(file, int(lost.line[i]), game, move, reason or unfinished(judged, i)))
        else:
            rejected.append(unread(file, int(lost.line[i]), str(reason)))
    return Found(rows, rejected)
