"""Solutions of others come into a dataset only after a replay, side by side with those of other sources."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import ConfigError, InputError
from pipeline.games.freecell.deal.microsoft import board_rows, deal
from pipeline.games.freecell.notation.bulk_replay import BATCH
from pipeline.games.freecell.rules.bulk import replay_many
from pipeline.games.freecell.rules.moves import LIMITS
from pipeline.games.freecell.tables.schema import SOLUTIONS
from pipeline.run.config import Config
from pipeline.run.dataset.dataset import Dataset
from pipeline.run.dataset.manifest import read_manifest
from pipeline.run.dataset.parquet import encode
from pipeline.run.dataset.store import Store, sha256
from pipeline.run.engine.tasks import Engine
from pipeline.run.imports.rows import Reading
from pipeline.run.imports.texts import read_file
from pipeline.run.jobs.build import build
from pipeline.run.jobs.check import check
from pipeline.run.jobs.imports import import_solutions
from pipeline.run.jobs.positions import add_positions
from pipeline.run.jobs.solve import SolveJob, run_solving

CASES = Path(__file__).parents[2] / "cases"
CATALOGUE = CASES / "catalogue.txt"
GAMES = [int(line.split(":")[0]) for line in CATALOGUE.read_text().splitlines() if line[0] != "#"]
WINNING_4 = (
    "57 57 51 6a 8b 18 81 85 81 58 3c 3d 4h 34 a4 b3 65 84 38 2a 3h d3 23 2b 2h 28 68 26 13 71 17 12 1c 43 42 76 7c"
)
# Needs the automoves that Microsoft's program makes before the first move to stay away, and wins with them too.
WINNING_1 = (
    "3a 32 7b 3c 37 37 b7 8b 87 48 82 a8 4a 34 57 54 85 8d 87 c7 d7 b8 38 23 28 32 6b 6c 78 a3 73 7a 7c 74 c7 67 63 56 8h b8 "
    "5b 51 b5 24 25 6h 6h 24 26 a4 37 2a 8h 4h 1h 17 1h 1b 8h 4h 4b 4c 4d a2 42 46 3h 7h 13"
)

# Wins only where a move into an empty column carries one card more than there are empty freecells, and no more.
WINNING_58_SINGLE = (
    "5h 82 45 4a 4h 13 81 8h 58 53 83 78 a6 26 1h 7a 51 15 78 68 63 "
    "6h 13 7h 3b 3c 3d 37 d7 c7 b7 36 76 3b 35 31 31 2h 25 2h 8h 12 1h"
)


@pytest.fixture
def store(tmp_path):
    out = tmp_path / "data"
    build(Config(first=1, last=500, part_size=200, out=str(out), jobs=1))
    return Store(str(out))


def solutions(store):
    names = sorted(name for name in store.files() if name.startswith("solutions/"))
    return [row for name in names for row in pq.read_table(store.path(name)).to_pylist()]


def replays(rows):
    """Whether every solution wins as it is written, with the counts that its row says."""
    for row in rows:
        text = np.frombuffer(row["moves"].encode(), np.uint8)
        verdicts = replay_many(
            deal(row["game_number"]), text, [0, text.size], automove=row["automove"], freecells=row["freecells"]
        )
        counts = [verdicts.move_count, verdicts.written_move_count, verdicts.card_move_count]
        told = [row["move_count"], row["written_move_count"], row["card_move_count"]]
        if not verdicts.is_won[0] or verdicts.moves_left[0] or [int(count[0]) for count in counts] != told:
            return False
    return True


def test_a_catalogue_becomes_rows_that_replay(store):
    done = import_solutions(Dataset(store.url), [str(CATALOGUE)], engine=Engine(jobs=2))
    rows = solutions(store)
    assert (done.solutions, done.repeated, done.rejected) == (len(GAMES), 0, [])
    assert [row["game_number"] for row in rows] == GAMES
    assert {(row["source"], row["automove"], row["status"], row["freecells"]) for row in rows} == {
        ("catalogue", "max", "solved", 4)
    }
    assert replays(rows)
    assert pq.read_schema(store.path("solutions/import-catalogue-part-0000000001-0000000200.parquet")).equals(
        SOLUTIONS.arrow_schema(), check_metadata=True
    )
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []


def test_jobs_batches_and_the_order_of_lines_change_no_byte(store, tmp_path):
    import_solutions(Dataset(store.url), [str(CATALOGUE)], engine=Engine(jobs=1))
    records = read_manifest(store).files
    lines = [line for line in CATALOGUE.read_text().splitlines() if line[0] != "#"]
    many = tmp_path / "many.txt"
    copies = BATCH // len(lines) + 1
    many.write_text("\r\n".join(lines[::-1] * copies))
    done = import_solutions(Dataset(store.url), [str(many)], source="catalogue", engine=Engine(jobs=2))
    assert (done.solutions, done.repeated) == (len(lines), len(lines) * (copies - 1))
    assert read_manifest(store).files == records


def test_what_fails_is_listed_with_game_move_and_reason_and_not_written(store, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.txt").write_text("# x\n617:4r4r4r4r4r4r\n4:57\n7:5x\n8589934591:5r\nnothing\n\n9:\n")
    board = "\n".join(" ".join(row) for row in board_rows(4))
    broken = f"GAME #4\n{board.replace(board[:2], board[3:5], 1)}\n {WINNING_4}\n"
    (folder / "b.txt").write_text(
        f"GAME #4\n {WINNING_4}\n\nGAME #4\n {WINNING_4} 57\n\nGAME #5\n {WINNING_4}\n\n"
        f"{broken}\nGAME #-1\n 57\n\nGAME #900\n {WINNING_4[:2]}"
    )
    (folder / "c.bin").write_bytes(bytes(range(256)))
    (folder / ".hidden").write_text("not read")
    done = import_solutions(Dataset(store.url), [str(folder)], engine=Engine(jobs=1))
    rejected = [(Path(r.file).name, r.line, r.game_number, r.move, r.reason) for r in done.rejected]
    assert rejected[:6] == [
        ("a.txt", 2, 617, 5, "4r: cells full"),
        ("a.txt", 3, 4, None, "unfinished: 50 cards are not home"),
        ("a.txt", 4, None, None, "not a move: 5x (move 1 of game 7)"),
        ("a.txt", 5, 8589934591, None, rejected[3][4]),
        ("a.txt", 6, None, None, "not a catalogue line such as 617:4r462r: nothing"),
        ("a.txt", 8, 9, None, "no moves"),
    ]
    assert rejected[6][:3] == ("b.txt", 7, 5) and rejected[6][3]
    assert rejected[7][0] == "b.txt" and board[3:5] in rejected[7][4]
    assert rejected[-1][:4] == ("c.bin", 1, None, None)
    assert [row["game_number"] for row in solutions(store)] == [4]
    assert replays(solutions(store))


def test_moves_after_the_one_that_wins_are_left_out_and_a_text_told_again_is_one_row(store, tmp_path):
    text = tmp_path / "again.txt"
    text.write_text(f"GAME #4\n {WINNING_4}\n\nGAME #4\n {WINNING_4} 57\n\nGAME #4 again\n {WINNING_4} 57\n")
    done = import_solutions(Dataset(store.url), [str(text)])
    assert (done.solutions, done.repeated, done.rejected) == (1, 2, [])
    assert [row["moves"] for row in solutions(store)] == [WINNING_4]


def test_games_that_the_dataset_does_not_hold_are_turned_down(store, tmp_path):
    text = tmp_path / "far.txt"
    text.write_text("GAME #6240\n" + (CASES / "6240-short.txt").read_text().partition("follows:\n")[2])
    done = import_solutions(Dataset(store.url), [str(text)])
    assert [(r.line, r.game_number, r.reason) for r in done.rejected] == [(1, 6240, "the dataset holds games 1..500")]
    assert not solutions(store)
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []


def test_sources_live_side_by_side_and_are_replaced_only_when_told(store, tmp_path):
    text = tmp_path / "one.txt"
    text.write_text(f"GAME #4\n {WINNING_4}\n")
    import_solutions(Dataset(store.url), [str(CATALOGUE)], engine=Engine(jobs=1))
    import_solutions(Dataset(store.url), [str(text)], source="Someone else")
    of_4 = [row for row in solutions(store) if row["game_number"] == 4]
    assert {(row["source"], row["automove"]) for row in of_4} == {("catalogue", "max"), ("Someone else", "horne")}
    text.write_text("".join(CATALOGUE.read_text().splitlines(keepends=True)[-3:]))
    with pytest.raises(ConfigError, match="holds other solutions of source 'Someone else'"):
        import_solutions(Dataset(store.url), [str(text)], source="Someone else")
    assert import_solutions(Dataset(store.url), [str(text)], source="Someone else", is_replacement=True).solutions == 3
    mine = [row["game_number"] for row in solutions(store) if row["source"] == "Someone else"]
    assert mine == GAMES[-3:]
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []


def test_other_rules_are_written_out_for_the_table(store, tmp_path):
    """Automoves before the first move are not the table's: they are written as moves."""
    text = tmp_path / "old.txt"
    text.write_text(f"GAME #1\n {WINNING_1}\n")
    done = import_solutions(Dataset(store.url), [str(text)], reading=Reading(automove="horne", initial=True))
    assert done.rejected == [] and done.solutions == 1
    wrong = import_solutions(Dataset(store.url), [str(text)], source="wrong", reading=Reading(automove="none"))
    assert wrong.solutions == 0 and wrong.rejected[0].move
    assert replays(solutions(store))


def test_a_layout_without_a_number_is_identified(store, tmp_path):
    text = tmp_path / "layout.txt"
    text.write_text("\n".join(" ".join(row) for row in board_rows(4)) + f"\n {WINNING_4}\n")
    assert import_solutions(Dataset(store.url), [str(text)]).solutions == 1
    assert solutions(store)[0]["game_number"] == 4


def test_paths_and_options_that_cannot_be_are_refused(store, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        import_solutions(Dataset(store.url), [str(tmp_path / "absent")])
    with pytest.raises(InputError, match="name their --source"):
        import_solutions(Dataset(store.url), [str(CATALOGUE), str(CATALOGUE)])
    with pytest.raises(InputError, match="made for automove max"):
        import_solutions(Dataset(store.url), [str(CATALOGUE)], reading=Reading(automove="horne"))
    with pytest.raises(ConfigError, match="no dataset"):
        import_solutions(Dataset(str(tmp_path / "none")), [str(CATALOGUE)])
    assert not (tmp_path / "none").exists()
    for name in ("--", "x" * 101):
        with pytest.raises(InputError, match="needs a letter or digit, and no more"):
            import_solutions(Dataset(store.url), [str(CATALOGUE)], source=name)


def test_moves_made_for_the_single_limit_are_written_so_that_they_win_under_both(store, tmp_path):
    text = tmp_path / "single.txt"
    text.write_text(f"GAME #58\n{WINNING_58_SINGLE}\n")
    (rejected,) = import_solutions(Dataset(store.url), [str(text)], engine=Engine(jobs=1)).rejected
    assert (rejected.game_number, rejected.reason) == (58, "76: 5 cards, 4 allowed")
    assert (
        import_solutions(
            Dataset(store.url), [str(text)], reading=Reading(limit="single"), engine=Engine(jobs=1)
        ).rejected
        == []
    )
    (row,) = solutions(store)
    moves = np.frombuffer(row["moves"].encode(), np.uint8)
    for limit in LIMITS:
        assert replay_many(deal(58), moves, [0, moves.size], limit=limit).is_won.all()
    with pytest.raises(InputError, match="made for limit doubling, not single"):
        import_solutions(Dataset(store.url), [str(CATALOGUE)], reading=Reading(limit="single"))


def test_the_command_reads_stdin_and_takes_a_limit(store):
    command = [sys.executable, "-m", "pipeline", "import", "-", "--dataset", store.url, "--limit"]
    texts = f"GAME #58\n{WINNING_58_SINGLE}\n\nGAME #900\n{WINNING_4}\n"
    done = subprocess.run([*command, "single"], input=texts, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "1 solution, 1 turned down" in done.stderr
    assert json.loads(done.stdout)["file"] == "stdin"
    assert [(row["game_number"], row["source"]) for row in solutions(store)] == [(58, "stdin")]


def test_the_command_prints_what_it_turns_down_and_exits_1(store, tmp_path):
    text = tmp_path / "some.txt"
    text.write_text(CATALOGUE.read_text() + "617:4r4r4r4r4r\n")
    command = [sys.executable, "-m", "pipeline", "import", str(text), "--dataset", store.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{len(GAMES)} solutions, 1 turned down" in done.stderr
    assert json.loads(done.stdout) == {
        "file": str(text),
        "line": len(GAMES) + 2,
        "game_number": 617,
        "move": 5,
        "reason": "4r: cells full",
    }


def test_check_replays_what_was_imported(store):
    import_solutions(Dataset(store.url), [str(CATALOGUE)], engine=Engine(jobs=1))
    name = "solutions/import-catalogue-part-0000000201-0000000400.parquet"
    table = pq.read_table(store.path(name))
    moves = table["moves"].to_pylist()
    moves[3] = moves[2]
    damaged = table.set_column(4, table.schema.field(4), pa.array(moves))
    manifest = read_manifest(store)
    data = encode(damaged)
    store.write(name, data)
    manifest.files[name] = manifest.files[name].model_copy(update={"bytes": data.size, "sha256": sha256(data)})
    manifest.save(store)
    (finding,) = check(Dataset(store.url), engine=Engine(jobs=1)).findings
    assert finding.file == name
    assert f"game {table['game_number'][3]}: its solution does not replay" in finding.problem


def test_check_wants_positions_where_their_solutions_are_and_all_solutions_of_our_own(store, tmp_path):
    (tmp_path / "a.txt").write_text(f"GAME #4\n{WINNING_4}\n")
    import_solutions(Dataset(store.url), [str(tmp_path / "a.txt")], engine=Engine(jobs=1))
    add_positions(Dataset(store.url), engine=Engine(jobs=1))
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []
    run_solving(Dataset(store.url), SolveJob(4, 10_000), first=401, last=500, engine=Engine(jobs=1))
    add_positions(Dataset(store.url), "horne4-effort0", engine=Engine(jobs=1))
    told = "unfinished: {} parts are not written yet, the first of them games {}; run the same command for them again"
    assert [(f.file, f.problem) for f in check(Dataset(store.url), engine=Engine(jobs=1)).findings] == [
        ("solutions/", told.format("2 of 3", "1..200"))  # of which the imported ones are no part
    ]
    run_solving(Dataset(store.url), SolveJob(4, 10_000), engine=Engine(jobs=1))
    assert [(f.file, f.problem) for f in check(Dataset(store.url), engine=Engine(jobs=1)).findings] == [
        ("positions/horne4-effort0-*", told.format("2 of 3", "1..200"))
    ]
    add_positions(Dataset(store.url), "horne4-effort0", engine=Engine(jobs=1))
    assert check(Dataset(store.url), engine=Engine(jobs=1)).findings == []


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text("GAME #45\n :.[]*57abch-+KS\r\t\0", max_size=120).map(str.encode),
        st.lists(
            st.sampled_from([b"GAME #4\n", b" 57 57\n", b"4:57", b"\n", b"\xff", b"{", b"-  -  -  +", b"4H 5H\n"])
        ).map(b"".join),
    )
)
def test_no_file_at_all_brings_down_the_reader(tmp_path, data):
    file = tmp_path / "any"
    file.write_bytes(data)
    for found in read_file(file, Reading(), jobs=1):
        assert found.rows.num_rows == 0
        assert all(text.reason for text in found.rejected)
