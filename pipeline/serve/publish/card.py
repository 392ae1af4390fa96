"""The dataset card: README.md with the metadata that the Hugging Face Hub and `datasets` read.

In: a `Publication`. Out: Markdown text with YAML front matter.
"""

import json
from collections.abc import Iterator
from typing import Final

from pipeline.games import GAMES
from pipeline.serve.publish.published import Configuration, Publication
from pipeline.tables.split import SPLIT_PYTHON, SPLIT_SQL, SPLITS

ALL_ROWS: Final = "full"
"""The one split that `datasets` sees: the files hold all games, and train, validation and test are told by the game number."""

LICENCE: Final = "mit"
LICENCE_URL: Final = "https://spdx.org/licenses/MIT.html"

_SIZES: Final = tuple(
    zip(
        (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9, 10**10),
        ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B"),
        strict=True,
    )
)

_STATUSES: Final = """`solved`: each solution was replayed by an independent verifier before it was written. `impossible`: an exhaustive
search over exact keys ended without a solution, which is a proof. `impossible_under_automove`: the same under this automove rule alone;
there is a solution under others. `unresolved`: the budget ran out, nothing is claimed. The last column
counts games whose solution is proved to have the least possible number of moves under its rule set; of all others only an upper bound is
known."""


def card_text(published: Publication, title: str) -> str:
    """Write README.md."""
    return "\n".join([*_front_matter(published, title), "", *_prose(published, title)]) + "\n"


def _front_matter(published: Publication, title: str) -> Iterator[str]:
    largest = max((c.rows for c in published.configurations), default=0)
    yield "---"
    yield f"pretty_name: {json.dumps(title)}"
    yield f"license: {LICENCE}"
    yield "task_categories:\n- tabular-regression\n- tabular-classification\n- reinforcement-learning"
    yield f"tags:\n- games\n- solitaire\n- {published.manifest.game}\n- planning\n- croissant"
    yield f"size_categories:\n- {next((name for limit, name in _SIZES if largest < limit), '10B<n<100B')}"
    yield "configs:"
    for c in published.configurations:
        yield f"- config_name: {c.name}"
        yield f"  data_files:\n  - split: {ALL_ROWS}\n    path: {c.pattern}"
    yield "dataset_info:"
    for c in published.configurations:
        yield f"- config_name: {c.name}\n  features:"
        for column in c.table.columns:
            yield f"  - name: {column.name}\n    dtype: {column.type}"
        yield f"  splits:\n  - name: {ALL_ROWS}\n    num_bytes: {c.arrow_bytes}\n    num_examples: {c.rows}"
        yield f"  download_size: {c.file_bytes}\n  dataset_size: {c.arrow_bytes}"
    yield "---"


def _prose(published: Publication, title: str) -> Iterator[str]:
    manifest = published.manifest
    plan = manifest.plan
    game = GAMES[manifest.game]
    yield f"# {title}\n"
    yield f"{game.numbering} games {plan.first:,} to {plan.last:,}: {sum(published.games):,} numbered deals as Parquet tables.\n"
    yield "| configuration | a row is a | rows | " + " | ".join(SPLITS) + " | bytes | bytes a row |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for c in published.configurations:
        each = f"{c.file_bytes / c.rows:.1f}" if c.rows else ""
        counts = " | ".join(f"{count:,}" for count in c.splits)
        yield f"| `{c.name}` | {c.table.row} | {c.rows:,} | {counts} | {c.file_bytes:,} | {each} |"
    if published.parts_missing:
        yield f"\nThe dataset is not finished: {published.parts_missing} files of its plan are not written yet."
    yield f"\n## How it was made\n\n{game.card.how_made}\n"
    yield (
        "Written by "
        + ", ".join(f"{what} {version}" for what, version in manifest.made_with.items())
        + ". The bytes of"
    )
    yield f"every file are a function of the game numbers: parts of {plan.part_size:,} games, no times, no machine in them."
    yield "\n## How to check it\n"
    yield "`sha256sum -c SHA256SUMS` in this folder compares every file with its digest. `dealbook check .` proves the content:"
    yield "every layout is dealt anew, every statistic computed anew, every solution and position replayed."
    yield from _proofs(published.configurations)
    yield from _splits(published)
    yield "\n## Data dictionary"
    for c in {c.table.name: c for c in published.configurations}.values():
        yield f"\n### {c.table.name}\n\nOne row a {c.table.row}. {c.table.description}\n"
        yield "| column | type | unit | meaning |\n| --- | --- | --- | --- |"
        for column in c.table.columns:
            kind = f"{column.type}, may be null" if column.nullable else str(column.type)
            yield f"| `{column.name}` | {kind} | {column.unit} | {column.description.replace('|', '/')} |"
    yield f"\n## Known biases of the generator\n\n{game.card.biases}"
    yield "\n## Limits\n"
    yield "- A deal says nothing of how people play it: there are no players and no times in this data."
    yield "- How many states a search needs and how long its solution is are properties of the game and of the solver together."
    if any(c.table.name == "positions" for c in published.configurations):
        yield "- `positions` come from solutions alone: all of them are on the way to a win, none is lost."
    yield "\n## Licence\n"
    yield "MIT. The deals themselves are facts that anyone can compute."


def _proofs(configurations: tuple[Configuration, ...]) -> Iterator[str]:
    judged = [c for c in configurations if c.verdicts]
    if not judged:
        return
    yield f"\n## What was proved\n\n{_STATUSES}\n"
    yield "| configuration | rules | status | games | proved shortest |\n| --- | --- | --- | ---: | ---: |"
    for c in judged:
        for v in c.verdicts:
            rules = ", ".join(f"{name} {value}" for name, value in v.rules.items())
            yield f"| `{c.name}` | {rules} | {v.status} | {v.games:,} | {v.shortest:,} |"


def _splits(published: Publication) -> Iterator[str]:
    shares = ", ".join(f"{name} {games:,}" for name, games in zip(SPLITS, published.games, strict=True))
    yield f"\n## Splits\n\nGames are split by a hash of their numbers: {shares}. All rows of a game are in one split. The files hold all"
    yield f"games (for `datasets`, the split `{ALL_ROWS}`); the split of game `n` is\n"
    yield f"```python\n{SPLIT_PYTHON}\n```\n\nin Python, and in any SQL\n"
    yield f"```sql\n{SPLIT_SQL.format(n='game_number')}\n```\n\nThe views in `catalog.sql` have it as the column `split`.\n"
    first = published.configurations[0].name if published.configurations else "layouts"
    yield f'```python\nfrom datasets import load_dataset\n\nload_dataset("this/folder", "{first}", split="{ALL_ROWS}")\n```'
