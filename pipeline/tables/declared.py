"""What a declared table is: columns with types, units and descriptions.

In: nothing. Out: `Column`, `Table`, and the column that every table begins with.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, its unit (empty where there is none) and what it says."""

    name: str
    type: pa.DataType
    unit: str
    description: str
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """One table: what a row is, and its columns. ``game_number`` comes first and rows are sorted by it.

    ``has_value_statistics``: whether minimum and maximum of columns other than the game number can help a query skip rows.
    """

    name: str
    game: str
    row: str
    description: str
    columns: tuple[Column, ...]
    has_value_statistics: bool = True

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema, with description and unit in each field's metadata and the table's own in the schema's."""
        return pa.schema(
            [
                pa.field(c.name, c.type, c.nullable, {"description": c.description, "unit": c.unit})
                for c in self.columns
            ],
            {"dealbook.table": self.name, "dealbook.game": self.game, "description": self.description},
        )

    def fingerprint(self) -> str:
        """A short digest of column names and types: data written under another one is not read as this table."""
        text = "\n".join(f"{c.name} {c.type} {c.nullable}" for c in self.columns)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


GAME_NUMBER: Final = Column(
    "game_number", pa.int64(), "", "Number of the game, as in Microsoft FreeCell: 0 to 2^33 - 1."
)
