"""One part of a table as the bytes of a Parquet file.

In: an Arrow table. Out: a buffer. `build` and whatever else writes parts imports it.

Measured per million layouts on one core (pyarrow 26, polars 2.1): pyarrow dictionary + zstd level 1 {0.55 s, 37 bytes a game}; without
zstd {0.49 s, 39.9}; PLAIN + zstd {0.98 s, 48.5}; DELTA {0.49 s, 47.8}; polars zstd {0.39 s, 36.5}, but its columns are nullable and it
writes no page index. BYTE_STREAM_SPLIT of integers + zstd {0.44 s, 32.9} is best of all, and Spark before 4 cannot read it.
Minimum and maximum of a card column say nothing and cost 0.1 s, so layouts carry them for the game number alone.
"""

from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP: Final = 25_000
"""Rows in a row group: a point query reads one of them, 2.5 % of a million games."""


def encode(table: pa.Table, *, statistics: bool = True) -> pa.Buffer:
    """Encode a table sorted by game number as a Parquet file; without ``statistics`` only the game number has a page index."""
    small = [
        f.name for f in table.schema if not (pa.types.is_integer(f.type) and f.type.bit_width > 8) and f.name != "moves"
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=1,
        use_dictionary=small,
        column_encoding={
            f.name: "DELTA_BINARY_PACKED" for f in table.schema if f.name not in small and pa.types.is_integer(f.type)
        },
        write_statistics=True if statistics else ["game_number"],
        write_page_index=True,
    )
    return sink.getvalue()
