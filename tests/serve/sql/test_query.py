"""`dealbook query`: forms of output, exit codes, and the prompt on a terminal."""

import csv
import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.serve.sql.catalog import open_catalog
from pipeline.serve.sql.query import query, unfinished

COMMAND = [sys.executable, "-m", "pipeline", "query"]


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=False)


def test_json_lines_and_numbers_stay_numbers(small_dataset):
    done = run(
        str(small_dataset),
        "SELECT game_number, sum(card) AS s, 1.5 AS x, NULL AS n FROM cards WHERE game_number < 3 GROUP BY 1 ORDER BY 1",
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"game_number": n, "s": 51 * 26, "x": 1.5, "n": None} for n in (1, 2)
    ]
    assert done.stderr == ""


def test_csv_from_standard_input_has_a_header_even_without_rows(small_dataset):
    done = run(
        str(small_dataset),
        "--format",
        "csv",
        stdin="SELECT game_number, split FROM stats WHERE game_number < 0;",
    )
    assert list(csv.reader(io.StringIO(done.stdout))) == [["game_number", "split"]]


@pytest.mark.parametrize(
    ("sql", "words"),
    [("SELECT dpeth_as FROM stats", "depth_as"), ("SELECT * FROM sttas", "stats"), ("SELEC", "syntax error")],
)
def test_bad_sql_exits_2_with_the_engines_words_and_no_traceback(small_dataset, sql, words):
    done = run(str(small_dataset), sql)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and "Traceback" not in done.stderr


def test_rows_are_read_as_they_are_asked_for(small_dataset):
    names, rows = query(
        open_catalog(str(small_dataset)), "SELECT a.game_number, b.game_number FROM stats a, stats b, stats c"
    )
    assert names == ["game_number", "game_number_1"]  # eight thousand million rows, of which one is made
    assert set(next(rows)) == set(names)


def test_an_unfinished_table_is_told(small_dataset):
    catalog = open_catalog(str(small_dataset))
    assert unfinished(catalog) == []
    del catalog.manifest.files["stats/part-0000000001-0000001000.parquet"]
    assert unfinished(catalog) == ["stats has 1 of 2 parts: answers speak of the games in these"]


class Terminal:
    """The command on a pseudo terminal."""

    def __init__(self, *arguments: str, **environment: str):
        self.master, slave = pty.openpty()
        variables = {**os.environ, "TERM": "dumb", "COLUMNS": "200", **environment}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # the terminal that Ctrl-C comes from
        )
        os.close(slave)
        self.seen, self.read_to = "", 0

    def expect(self, text: str) -> str:
        """Read on until ``text`` comes, and return all from the last one up to it."""
        start, deadline = self.read_to, time.monotonic() + 60
        while (found := self.seen.find(text, start)) < 0:
            assert time.monotonic() < deadline, self.seen
            if select.select([self.master], [], [], 0.2)[0]:
                self.seen += os.read(self.master, 65536).decode()
        self.read_to = found + len(text)
        return self.seen[start : self.read_to]

    def type(self, line: str) -> None:
        os.write(self.master, line.encode())

    def end(self) -> int:
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            os.close(self.master)


def test_prompt_answers_describes_survives_errors_and_remembers(small_dataset, tmp_path: Path):
    terminal = Terminal(str(small_dataset), HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    terminal.expect("dealbook> ")
    terminal.type("SELECT card_name(c1r1) AS first,\n")
    terminal.expect("...> ")
    terminal.type("617 + 1 AS next FROM layouts WHERE game_number = 617;\n")
    answer = terminal.expect("dealbook> ")
    assert "first" in answer and "7D" in answer and "618" in answer
    terminal.type("SELECT dpeth_as FROM stats;\n")
    assert "depth_as" in terminal.expect("dealbook> ")
    terminal.type(".tables\n")
    assert "One row a game and card" in terminal.expect("dealbook> ")
    terminal.type(".schema stats\n")
    assert "Depth of the deepest ace." in terminal.expect("dealbook> ")
    terminal.type(".shema\n")
    assert ".help" in terminal.expect("dealbook> ")
    terminal.type("SELECT 1\n")
    terminal.expect("...> ")
    time.sleep(0.5)  # a signal between the prompt and the wait for keys is heard with the next key only
    terminal.type("\x03")  # Ctrl-C drops what is typed
    terminal.expect("dealbook> ")
    terminal.type(".help\n")
    assert ".macros" in terminal.expect("dealbook> ")
    terminal.type(".quit\n")
    assert terminal.end() == 0
    assert "SELECT dpeth_as FROM stats;" in (tmp_path / "dealbook" / "history").read_text()


def test_ctrl_c_stops_a_long_query_and_the_prompt_goes_on(small_dataset, tmp_path: Path):
    terminal = Terminal(str(small_dataset), HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    terminal.expect("dealbook> ")
    terminal.type(
        "SELECT count(*) FROM stats a, stats b, stats c, stats d WHERE a.inversions * b.inversions * c.inversions * d.inversions = 7;\n"
    )
    time.sleep(1)
    terminal.type("\x03")
    assert "stopped" in terminal.expect("dealbook> ")
    terminal.type("SELECT 6 * 7 AS answer;\n")
    assert "42" in terminal.expect("dealbook> ")
    terminal.type("\x04")
    assert terminal.end() == 0
