"""Open a published dataset with Hugging Face's datasets, without a network.

    dealbook publish data/ms1m
    HF_HUB_OFFLINE=1 python examples/load_datasets.py data/ms1m

The configurations of the card are the tables. Their files hold all games, so `datasets` sees one split, `full`; train, validation and test
follow from the game number. Needs datasets: pip install 'dealbook[ml]'.
"""

import argparse

from datasets import get_dataset_config_names, load_dataset

from pipeline import split_codes
from pipeline.tables.split import SPLITS


def is_test(numbers: list[int]) -> list[bool]:
    return (split_codes(numbers) == SPLITS.index("test")).tolist()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    folder = parser.parse_args().dataset
    for name in get_dataset_config_names(folder):
        rows = load_dataset(folder, name, split="full").with_format("numpy")
        test = rows.filter(is_test, input_columns="game_number", batched=True)
        print(f"{name}: {len(rows):,} rows, {len(rows.column_names)} columns; {len(test):,} rows in the split test")
        first = rows[0]
        print("   ", {key: first[key].item() for key in rows.column_names[:4] if hasattr(first[key], "item")})


if __name__ == "__main__":
    main()
