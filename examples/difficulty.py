"""How hard is a deal? Predict it from what can be seen before the first move.

    dealbook build --out data/ms1m && dealbook solve data/ms1m
    python examples/difficulty.py data/ms1m

Chen's bachelor thesis (The Hardness Analysis of FreeCell Games, University of Amsterdam, 2015) scored deals by four characteristics and
reached r = 0.439 with the length of solutions and 0.366 with the states its solver checked. Here the same four, told in SQL, then linear
models and boosted trees, learned on games of the split train and judged on the split test. Nothing of a solver is among the features:
they are the statistics of the layout and, for the last model, how often a card of each rank lies above one of each other rank in a column.
Needs scikit-learn and polars: pip install 'dealbook[ml]'.
"""

import argparse

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pipeline import load
from pipeline.games.freecell.deal.microsoft import deal

ACES = ("ac", "ad", "ah", "as")
DEEPEST = [
    "GREATEST(" + ", ".join(f"CASE WHEN column_{a} = {column} THEN depth_{a} ELSE 0 END" for a in ACES) + ")"
    for column in range(1, 9)
]
FOUR = f"""
SELECT game_number,
       ace_depth_sum AS places_of_aces,
       cards_under_kings AS places_of_kings,
       alternating_pairs AS order_by_colour,
       {" + ".join(DEEPEST)} AS cards_over_aces
FROM self
"""
THESIS = {"move_count": 0.439, "log_states": 0.366}


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


# All pairs of places in one column, the lower one first, and those that touch.
PAIRS = np.array([(low, up) for low in range(52) for up in range(low + 8, 52, 8)])
TOUCH = PAIRS[:, 1] - PAIRS[:, 0] == 8
RELATIONS = 13 * 13 * 3  # ranks of both cards, and whether suit, colour or neither is the same
TOGETHER = 10_000


def pair_counts(game_numbers: np.ndarray) -> np.ndarray:
    """How many pairs of each relation lie in the columns of each layout: anywhere above, and directly on."""
    layouts = deal(game_numbers).astype(np.int64)
    low, up = layouts[:, PAIRS[:, 0]], layouts[:, PAIRS[:, 1]]
    same_suit = ((low ^ up) & 3) == 0
    same_colour = ((low ^ (low >> 1) ^ up ^ (up >> 1)) & 1) == 0
    relation = ((up >> 2) * 13 + (low >> 2)) * 3 + np.where(same_suit, 0, np.where(same_colour, 1, 2))
    relation += RELATIONS * np.arange(len(layouts))[:, None]
    counts = [
        np.bincount(some.ravel(), minlength=RELATIONS * len(layouts)).reshape(len(layouts), RELATIONS)
        for some in (relation, relation[:, TOUCH])
    ]
    return np.hstack(counts)


class PairRidge:
    """Ridge regression on pairs of cards, fitted by its normal equations a few thousand games at a time."""

    def fit(self, game_numbers: np.ndarray, target: np.ndarray, penalty: float = 100.0) -> "PairRidge":
        """Learn from games; the penalty is in units of one game."""
        size = 2 * RELATIONS
        products, answers, total = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        self.mean = target.mean()
        for at in range(0, len(game_numbers), TOGETHER):
            counts = pair_counts(game_numbers[at : at + TOGETHER]).astype(np.float32)
            products += counts.T @ counts
            answers += counts.T @ (target[at : at + TOGETHER] - self.mean)
            total += counts.sum(0)
        self.center = total / len(game_numbers)
        products -= len(game_numbers) * np.outer(self.center, self.center)
        self.weights = np.linalg.solve(products + penalty * np.eye(size), answers)
        return self

    def predict(self, game_numbers: np.ndarray) -> np.ndarray:
        """Predict games by their numbers alone: they tell the layouts."""
        pieces = [game_numbers[at : at + TOGETHER] for at in range(0, len(game_numbers), TOGETHER)]
        return self.mean + np.concatenate([(pair_counts(piece) - self.center) @ self.weights for piece in pieces])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--variant", help="which solutions, where the dataset has several")
    parser.add_argument("--trees", type=int, default=150)
    parser.add_argument("--train", type=int, default=200_000, help="games to learn from, of the split train")
    options = parser.parse_args()

    stats = load(options.dataset, "stats")
    columns = ["game_number", "freecells", "status", "nodes", "move_count"]
    solutions = load(options.dataset, "solutions", columns, variant=options.variant)
    solved = solutions.filter(pl.col("status") == "solved", pl.col("freecells") == 4)
    solved = solved.with_columns(pl.col("nodes").log().alias("log_states"))
    narrow = [name for name, kind in stats.schema.items() if kind == pl.UInt8]
    wide = stats.with_columns(pl.col(narrow).cast(pl.Int64))  # so that sums in SQL do not wrap
    games = solved.join(stats, "game_number").join(wide.sql(FOUR), "game_number")
    print(f"{len(games):,} solved games")

    four = ["places_of_aces", "places_of_kings", "order_by_colour", "cards_over_aces"]
    print(f"\n{'r over all games':34}" + "".join(f"{target:>12}" for target in THESIS))
    for name in four:
        row = [pearson(games[name].to_numpy(), games[target].to_numpy()) for target in THESIS]
        print(f"{name:34}" + "".join(f"{r:12.3f}" for r in row))

    features = [name for name in stats.columns if name not in ("game_number", "split")]
    models = {
        "the four, linear": (four, make_pipeline(StandardScaler(), LinearRegression())),
        "all statistics, linear": (features, make_pipeline(StandardScaler(), LinearRegression())),
        "all statistics, boosted trees": (
            features,
            HistGradientBoostingRegressor(max_iter=options.trees, learning_rate=0.1, random_state=0),
        ),
    }
    train, test = (games.filter(pl.col("split") == name) for name in ("train", "test"))
    train = train.head(options.train)
    print(f"\nlearned from {len(train):,} games")
    print(f"{f'r on {len(test):,} games of test':34}" + "".join(f"{target:>12}" for target in THESIS))
    for name, (inputs, model) in models.items():
        row = []
        for target in THESIS:
            model.fit(train.select(inputs).to_numpy().astype(np.float32), train[target].to_numpy())
            predicted = model.predict(test.select(inputs).to_numpy().astype(np.float32))
            row.append(pearson(predicted, test[target].to_numpy()))
        print(f"{name:34}" + "".join(f"{r:12.3f}" for r in row))
    row = []
    for target in THESIS:
        ridge = PairRidge().fit(train["game_number"].to_numpy(), train[target].to_numpy())
        row.append(pearson(ridge.predict(test["game_number"].to_numpy()), test[target].to_numpy()))
    print(f"{'pairs of cards, ridge':34}" + "".join(f"{r:12.3f}" for r in row))
    print(f"{'the thesis':34}" + "".join(f"{r:12.3f}" for r in THESIS.values()))


if __name__ == "__main__":
    main()
