"""Replaying and importing solutions of others: CPU time of the compiled replay against the plain one, and of a million lines.

The lines are those of tests/cases/catalogue.txt, over and over; each is read, dealt and replayed anew.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.notation.bulk_convert import rewrite_many
from pipeline.games.freecell.notation.bulk_replay import replay_batches, verdict_rows
from pipeline.games.freecell.notation.bulk_scan import scan_catalogue
from pipeline.games.freecell.notation.verdicts import Choices, judge_text
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.engine.tasks import Engine
from pipeline.run.jobs.build import build
from pipeline.run.jobs.imports import import_solutions

CATALOGUE = Path(__file__).parent.parent / "cases" / "catalogue.txt"
MILLION = 1_000_000


def _seconds(run: Callable[[], object]) -> float:
    before = time.process_time()
    run()
    return time.process_time() - before


def _bulk(data: bytes, with_rows: bool = True) -> int:
    won = 0
    for batch in replay_batches(data):
        won += int(batch.verdicts.is_won.sum())
        if with_rows:
            verdict_rows(batch).write_ndjson()
    return won


def _imported(data: bytes) -> float:
    with tempfile.TemporaryDirectory() as folder:
        build(Config(first=1, last=400, part_size=400, out=f"{folder}/data", jobs=1))
        text = Path(folder) / "catalogue.txt"
        text.write_bytes(data)
        return _seconds(lambda: import_solutions(Dataset(f"{folder}/data"), [str(text)], engine=Engine(jobs=1)))


def _documents(data: bytes) -> bytes:
    """The same solutions as documents of standard notation, ten moves a line."""
    text = np.frombuffer(data, np.uint8)
    lines = scan_catalogue(text)
    layouts = deal(lines.game_number)
    written = rewrite_many(layouts, text, lines.starts, lines.ends, is_catalogue=True, to_automove="horne")
    documents = []
    for i, game in enumerate(lines.game_number):
        words = bytes(written.text[written.offsets[i] : written.offsets[i + 1]]).decode().split()
        moves = "".join(" " + " ".join(words[k : k + 10]) + "\n" for k in range(0, len(words), 10))
        documents.append(f"GAME #{game}\n{moves}\n")
    return "".join(documents).encode()


def rows() -> list[dict[str, object]]:
    """Measure; every line must win in each replay."""
    lines = [line for line in CATALOGUE.read_text().splitlines(keepends=True) if line[0] != "#"]
    text = "".join(lines)
    copies = -(-MILLION // len(lines))
    assert _bulk(text.encode()) == len(lines)  # compiled by now
    assert all(row["result"] == "won" for row, _ in judge_text(text, Choices()))
    plain = _seconds(lambda: list(judge_text(text, Choices()))) / len(lines)
    some = text.encode() * (copies // 10)
    bulk = min(_seconds(lambda: _bulk(some, with_rows=False)) for _ in range(3)) / (copies // 10 * len(lines))
    printed = _seconds(lambda: _bulk(text.encode() * copies)) / (copies * len(lines))
    imported = _imported(text.encode() * copies) / (copies * len(lines))
    documents = _documents(text.encode())
    read = _imported(documents * (copies // 10)) / (copies // 10 * len(lines))
    return [
        {
            "what": "scan, deal and replay a catalogue line: compiled against plain",
            "ours": f"{bulk * 1e6:.1f} µs",
            "reference": f"{plain * 1e6:.0f} µs",
            "ratio": f"{bulk / plain:.4f}",
            "goal": "0.02",
        },
        {
            "what": "replay a million catalogue lines, a row of JSON each: lines a second of one core",
            "ours": f"{1 / printed:,.0f}",
            "reference": "50,000 on 2 cores",
            "ratio": f"{1 / printed / 50_000:.1f}",
            "goal": "at least 1",
        },
        {
            "what": "import a million catalogue lines: seconds of one core",
            "ours": f"{imported * MILLION:.1f} s",
            "reference": "60 s on 2 cores",
            "ratio": f"{imported * MILLION / 60:.2f}",
            "goal": "at most 1",
        },
        {
            "what": "import a million documents of standard notation: seconds of one core",
            "ours": f"{read * MILLION:.1f} s",
            "reference": "60 s on 2 cores",
            "ratio": f"{read * MILLION / 60:.2f}",
            "goal": "at most 1",
        },
    ]
