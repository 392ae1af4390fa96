"""The views of a dataset as SQL text, made from the declared tables.

In: the names of the tables that there are, and where their rows come from. Out: `View` objects and SQL.

Integers are widened to signed 64 bits, so that differences, products and sums of them stay exact.
"""

import re
from collections.abc import Iterable
from typing import Final

import pyarrow as pa

from pipeline.games import GAMES, Game
from pipeline.games.registry import TABLES
from pipeline.tables.declared import Table
from pipeline.tables.split import SPLIT_COMMENT
from pipeline.tables.view import KNOWLEDGE, View

_CARD_COLUMNS: Final = {
    "card": "Code of the card: 4 * (rank - 1) + suit.",
    "rank": "Rank, 1 ace to 13 king.",
    "suit": "Suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades.",
    "colour": "red or black.",
}
_PLACE: Final = re.compile(r"c(\d)r(\d)")
_STOCK: Final = re.compile(r"s(\d\d)")


def declared_views(present: Iterable[str], source: dict[str, str]) -> list[View]:
    """List the views of a dataset that holds the tables ``present``, each after those that it reads.

    ``source`` gives the SQL of the rows of each table, such as ``read_parquet('stats/*.parquet')``.
    """
    tables = [TABLES[name] for name in TABLES if name in set(present)]
    views = [_table_view(table, source[table.name]) for table in tables]
    names = {table.name for table in tables}
    for table in tables:
        if any(_PLACE.fullmatch(c.name) and c.unit == "card code" for c in table.columns):
            views += [_cards_view(table, source[table.name]), _columns_text_view(table)]
    views += [_best_view(table) for table in tables if {"status", "move_count"} <= {c.name for c in table.columns}]
    for game in GAMES.values():
        views += game.views(names & game.tables.keys())
    return views


def how_to_make(name: str, game: Game) -> str | None:
    """The command that makes a table or view of a game; None for a name that is neither."""
    sources = dict.fromkeys(game.tables, "")
    for view in declared_views(game.tables, sources):
        tables = [table for table in game.tables if view.name == table or re.search(rf"\b{table}\b", view.query)]
        if view.name == name:
            return game.tables[tables[0] if tables else game.dealt[0]].made_by
    return None


def _quoted(name: str) -> str:
    return f'"{name}"' if name in ("column", "row") else name


def _widened(column: str, kind: pa.DataType) -> str:
    if not pa.types.is_integer(kind) or kind == pa.int64():
        return _quoted(column)
    wide = "HUGEINT" if kind == pa.uint64() else "BIGINT"
    return f"CAST({_quoted(column)} AS {wide}) AS {_quoted(column)}"


def _table_view(table: Table, source: str) -> View:
    """The rows of a table with widened integers and the split."""
    columns = ", ".join(_widened(c.name, c.type) for c in table.columns)
    comments = {c.name: f"{c.description}{f' Unit: {c.unit}.' if c.unit else ''}" for c in table.columns}
    return View(
        table.name,
        f"SELECT {columns}, split_of(game_number) AS split FROM {source}",
        f"One row a {table.row}. {table.description}",
        {**comments, "split": SPLIT_COMMENT},
    )


def _tableau(table: Table) -> dict[str, tuple[int, int]]:
    """Column and row of each place of the tableau, by the name of the place."""
    found = {c.name: _PLACE.fullmatch(c.name) for c in table.columns}
    return {name: (int(match[1]), int(match[2])) for name, match in found.items() if match}


def _stock(table: Table) -> list[str]:
    return [c.name for c in table.columns if _STOCK.fullmatch(c.name)]


def _cards_view(table: Table, source: str) -> View:
    """One row a game and card.

    The lists of cards and places are unrolled side by side. One branch a place (UNION ALL) would let a filter on a place reach the
    files, but opens every file 52 times: the cards of one of a million games took 0.5 s so, and take 0.02 s.
    """
    tableau, stock = _tableau(table), _stock(table)
    height = {column: max(r for c, r in tableau.values() if c == column) for column, _ in tableau.values()}
    lists: dict[str, list[int | None]] = {
        "column": [c for c, _ in tableau.values()] + [None] * len(stock),
        "row": [r for _, r in tableau.values()] + [None] * len(stock),
        "depth": [height[c] - r for c, r in tableau.values()] + [None] * len(stock),
    }
    if stock:
        lists["stock"] = [None] * len(tableau) + list(range(1, len(stock) + 1))
    unrolled = ", ".join(
        f"unnest(CAST([{', '.join('NULL' if n is None else str(n) for n in numbers)}] AS UTINYINT[])) AS {_quoted(name)}"
        for name, numbers in lists.items()
    )
    places = ", ".join(f"CAST({_quoted(name)} AS BIGINT) AS {_quoted(name)}" for name in lists)
    query = (
        "SELECT game_number, CAST(card AS BIGINT) AS card, CAST(rank_of(card) AS BIGINT) AS rank, CAST(suit_of(card) AS BIGINT) AS suit, "
        f"CASE WHEN is_red(card) THEN 'red' ELSE 'black' END AS colour, {places}, split_of(game_number) AS split "
        f"FROM (SELECT game_number, unnest([{', '.join([*tableau, *stock])}]) AS card, {unrolled} FROM {source})"
    )
    comments = {
        "game_number": "Number of the game.",
        **_CARD_COLUMNS,
        "column": "Column in which the card lies, from 1" + ("; null in the stock." if stock else "."),
        "row": "Row: 1 is dealt first, at the base" + ("; null in the stock." if stock else "."),
        "depth": "Cards lying on the card in its column, 0 = exposed" + ("; null in the stock." if stock else "."),
        **({"stock": "Place in the stock, 1 is drawn first; null in the tableau."} if stock else {}),
        "split": SPLIT_COMMENT,
    }
    return View("cards", query, "One row a game and card: where each card lies.", comments)


def _columns_text_view(table: Table) -> View:
    """The columns of each layout as text."""
    tableau, stock = _tableau(table), _stock(table)
    columns = sorted({column for column, _ in tableau.values()})
    texts = {
        f"column_{column}": " || ' ' || ".join(f"card_name({name})" for name, (c, _) in tableau.items() if c == column)
        for column in columns
    }
    comments = {name: f"Cards of column {name[-1]}, base first, separated by blanks." for name in texts}
    if stock:
        texts["stock"] = " || ' ' || ".join(f"card_name({name})" for name in stock)
        comments["stock"] = "Cards of the stock, the one that is drawn first in front, separated by blanks."
    selected = ", ".join(f"{text} AS {name}" for name, text in texts.items())
    return View(
        "columns_text",
        f"SELECT game_number, {selected}, split FROM {table.name}",
        "One row a game: the columns as text.",
        {"game_number": "Number of the game.", **comments, "split": SPLIT_COMMENT},
    )


def _rule_set(table: Table) -> list[str]:
    """The columns that name the rules a solution holds under."""
    return [c.name for c in table.columns if c.name in ("freecells", "automove", "rule")]


def _best_view(table: Table) -> View:
    """The best row of each game under each rule set: by what is known of it, then the shortest, then the one with the best proof."""
    names = [c.name for c in table.columns]
    lengths = [name for name in ("move_count", "written_move_count", "card_move_count") if name in names]
    rules = ", ".join(["game_number", *_rule_set(table)])
    proofs = [f"{name} DESC NULLS LAST" for name in ("is_shortest", "lower_bound") if name in names]
    order = ", ".join(
        [
            KNOWLEDGE,
            *(f"{n} NULLS LAST" for n in lengths[:1]),
            *proofs,
            *(f"{n} NULLS LAST" for n in lengths[1:]),
            *(
                name for name in ("effort", "source", "moves", "budget", "nodes") if name in names
            ),  # no choice is left to chance
        ]
    )
    name = "best_" + table.name
    return View(
        name,
        f"SELECT * FROM {table.name} QUALIFY row_number() OVER (PARTITION BY {rules} ORDER BY {order}) = 1",
        f"One row a game and rule set ({rules.partition(', ')[2]}): of several solutions the one with the fewest moves, "
        "or the verdict where there is none.",
        {c.name: c.description for c in table.columns} | {"split": SPLIT_COMMENT},
    )


def view_sql(view: View) -> str:
    """The statement that makes a view."""
    return f"CREATE OR REPLACE VIEW {view.name} AS {view.query};"


def comment_sql(view: View) -> list[str]:
    """The statements that comment a view and its columns."""
    return [
        f"COMMENT ON VIEW {view.name} IS {_text(view.comment)};",
        *(f"COMMENT ON COLUMN {view.name}.{_quoted(name)} IS {_text(text)};" for name, text in view.columns.items()),
    ]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
