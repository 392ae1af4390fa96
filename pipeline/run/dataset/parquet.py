"""One part of a table as the bytes of a Parquet file.

In: an Arrow table. Out: a buffer.

CPU seconds per million layouts and bytes a game, one core, row groups of 20,000 (pyarrow 26.0, polars 2.1):

    pyarrow BYTE_STREAM_SPLIT + zstd 1   0.23 s  32.8        polars zstd 1 / 3       0.31 / 0.35 s  37.0 / 36.5
    pyarrow dictionary + zstd 1          0.51 s  36.5        polars lz4, none        0.27 / 0.23 s  41.0 / 47.8
    pyarrow dictionary, lz4 / none       0.39 / 0.36 s  37.7 / 40.0
    pyarrow DELTA, zstd 1 / none         0.41 / 0.28 s  45.1 / 47.9

So the one-byte columns are split into byte streams: three of zeros, and one that zstd's entropy coder packs better than six bits a card (it
also finds that the generator's first draws of neighbouring games repeat). pyarrow, unlike polars, writes required columns and a page index.
Minimum and maximum of a card say nothing, so layouts carry them for the game number alone.

Positions, 78 columns in which neighbouring rows differ in two or three places, bytes a row and CPU microseconds of writing one (row groups
of 60,000): split and zstd 10.7 and 0.4; dictionary and zstd 12.0 and 0.6; plain and zstd 13.4 and 0.4; DELTA and zstd 30 and 0.9.
"""

from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP: Final = 20_000
"""Rows in a row group: a point query reads one of them, 2 % of a million games."""

_COUNTING: Final = ("game_number", "ply", "plies_left")


def encode(content: pa.Table | pa.RecordBatchReader, *, statistics: bool = True) -> pa.Buffer:
    """Encode a table sorted by game number as a Parquet file.

    A table is cut into row groups, each batch of a reader becomes one. Without ``statistics`` only the game number has a page index.
    """
    bytewide = {f.name: "BYTE_STREAM_SPLIT" for f in content.schema if f.type == pa.uint8()}
    counting = {f.name: "DELTA_BINARY_PACKED" for f in content.schema if f.name in _COUNTING}
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink,
        content.schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=[f.name for f in content.schema if f.name not in (*bytewide, *counting, "moves")],
        column_encoding={**counting, **bytewide},
        write_statistics=True if statistics else ["game_number"],
        write_page_index=True,
    ) as writer:
        if isinstance(content, pa.Table):
            writer.write_table(content, ROW_GROUP)
        else:
            for batch in content:
                writer.write_batch(batch, batch.num_rows)
    return sink.getvalue()


def row_count(data: pa.Buffer) -> int:
    """Rows of an encoded file."""
    return int(pq.read_metadata(pa.BufferReader(data)).num_rows)
