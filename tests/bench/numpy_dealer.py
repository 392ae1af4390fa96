"""The obvious script: a NumPy lockstep dealer that writes layouts alone. Usage: python numpy_dealer.py FIRST LAST FILE."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def deal(numbers: np.ndarray) -> np.ndarray:
    """Deal games below 2^31 side by side: one step a card, over all games at once."""
    state = numbers.astype(np.uint32)
    deck = np.tile(np.arange(52, dtype=np.uint8), (numbers.size, 1))
    games = np.arange(numbers.size)
    layouts = np.empty((numbers.size, 52), np.uint8)
    for k in range(52):
        state = state * np.uint32(214013) + np.uint32(2531011)
        pick = ((state >> np.uint32(16)) & np.uint32(0x7FFF)) % np.uint32(52 - k)
        layouts[:, k] = deck[games, pick]
        deck[games, pick] = deck[:, 51 - k]
    return layouts


def main() -> None:
    """Deal in chunks of 100,000 games and write one Parquet file."""
    first, last, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    names = ["game_number", *(f"c{k % 8 + 1}r{k // 8 + 1}" for k in range(52))]
    writer = None
    for start in range(first, last + 1, 100_000):
        numbers = np.arange(start, min(start + 100_000, last + 1))
        layouts = deal(numbers)
        table = pa.table([numbers, *layouts.T], names=names)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer:
        writer.close()


if __name__ == "__main__":
    main()
