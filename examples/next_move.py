"""Learn the next move of solved games, and play without search.

    dealbook build --last 5000 --part-size 1000 --out data/small
    dealbook solve data/small && dealbook positions data/small
    python examples/next_move.py data/small

The order of columns and freecells means nothing in FreeCell, so the network sees what each card lies on instead of where, and names a
move by the card that moves and by what it moves onto; suits of one colour, and the colours, are exchanged at random while it learns.
Needs torch: pip install 'dealbook[ml]'.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

from pipeline import TorchBatches, decode_position, encode_position, load, split_codes
from pipeline.cards.codes import is_red
from pipeline.deal.microsoft import deal
from pipeline.play.automove import automoves
from pipeline.play.moves import Move, carry, legal_moves
from pipeline.play.position import CELL, HOME, Position, from_layout
from pipeline.tables.positions_code import AT_HOME, FIRST_CELL
from pipeline.tables.split import SPLITS

BASE, FREE, HOME_PILE = 52, 53, 54  # what a card lies on, beside another card
BELOW = 55
KINDS = 5  # a card moves onto the first or second card that fits, an empty column, a freecell, home
MOVES = 52 * KINDS

# The exchanges of suits that keep the rules: clubs with spades, diamonds with hearts, black with red.
EXCHANGES = [
    (0, 1, 2, 3),
    (3, 1, 2, 0),
    (0, 2, 1, 3),
    (3, 2, 1, 0),
    (1, 0, 3, 2),
    (1, 3, 0, 2),
    (2, 0, 3, 1),
    (2, 3, 0, 1),
]


def lies_on(places: torch.Tensor) -> torch.Tensor:
    """What each card lies on: int64[n, 52] place codes to int64[n, 52] of 0 .. 54."""
    card_at = torch.zeros(len(places), AT_HOME + 1, dtype=torch.int64)
    card_at.scatter_(1, places, torch.arange(52).expand_as(places))
    below = card_at.gather(1, (places - 8).clamp(min=0))
    below[places < 8] = BASE
    below[places >= FIRST_CELL] = FREE
    below[places == AT_HOME] = HOME_PILE
    return below


def played(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """The number of the move that is played in each position of a batch, int64[n]."""
    places, source, target = batch["places"], batch["move_source"], batch["move_target"]
    card_at = torch.zeros(len(places), AT_HOME + 1, dtype=torch.int64)
    card_at.scatter_(1, places, torch.arange(52).expand_as(places))
    in_tableau = (places < FIRST_CELL)[:, :, None]
    heights = ((places % 8)[:, :, None].eq(torch.arange(8)) & in_tableau).sum(1)
    heights = torch.cat([heights, torch.zeros(len(places), 9, dtype=torch.int64)], 1)
    of_source = heights.gather(1, source[:, None])[:, 0]
    of_target = heights.gather(1, target[:, None])[:, 0]
    taken = torch.where(source < CELL, 8 * (of_source - batch["move_cards"]) + source, FIRST_CELL - CELL + source)
    card = card_at.gather(1, taken[:, None])[:, 0]
    onto = card_at.gather(1, (8 * (of_target - 1) + target).clamp(min=0)[:, None])[:, 0]
    kind = torch.where((onto & 3) >= 2, 1, 0)  # the cards that fit are of one colour: C or S, D or H
    kind = torch.where(of_target == 0, 2, kind)
    kind = torch.where(target >= CELL, 3, kind)
    kind = torch.where(target == HOME, 4, kind)
    return KINDS * card + kind


def moves_of(position: Position) -> dict[int, Move]:
    """The legal moves of a position by their numbers."""
    found = {}
    for move in legal_moves(position):
        column = position.columns[move.source] if move.source < CELL else (position.freecells[move.source - CELL],)
        card = column[-(move.count or 1)]
        if move.target == HOME:
            kind = 4
        elif move.target >= CELL:
            kind = 3
        else:
            onto = position.columns[move.target]
            kind = int(onto[-1] & 3 >= 2) if onto else 2
        found.setdefault(KINDS * card + kind, move)
    return found


class Network(nn.Module):
    """Scores of all moves from what each card lies on."""

    def __init__(self, width: int):
        super().__init__()
        self.cards = nn.EmbeddingBag(52 * BELOW, width, mode="sum")
        self.rest = nn.Sequential(
            nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, MOVES)
        )
        nn.init.normal_(self.cards.weight, std=0.05)

    def forward(self, below: torch.Tensor) -> torch.Tensor:
        return self.rest(self.cards(below + BELOW * torch.arange(52)))


def exchange_tables() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """For each exchange of suits: the new card (or other thing below) of each, its inverse, and the new number of each move."""
    cards = torch.tensor(
        [[card & ~3 | suits[card & 3] for card in range(52)] + [BASE, FREE, HOME_PILE] for suits in EXCHANGES]
    )
    back = torch.argsort(cards[:, :52], 1)
    moves = torch.empty(len(EXCHANGES), MOVES, dtype=torch.int64)
    for k, suits in enumerate(EXCHANGES):
        for card in range(52):
            for kind in range(KINDS):
                new = kind
                if kind < 2:
                    fitting = (0, 3) if is_red(card) else (1, 2)
                    new = int(suits[fitting[kind]] >= 2)
                moves[k, KINDS * card + kind] = KINDS * cards[k, card] + new
    return cards, back, moves


def learn(dataset: str, epochs: int, width: int, variant: str | None) -> Network:
    """Train on the games of the split train."""
    torch.manual_seed(0)
    network = Network(width)
    cards, back, renumbered = exchange_tables()
    columns = ["places", "move_source", "move_target", "move_cards"]
    data = TorchBatches(dataset, "positions", 512, split="train", columns=columns, variant=variant)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    steps = epochs * sum(1 for _ in data)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    started = time.perf_counter()
    for epoch in range(epochs):
        data.set_epoch(epoch)
        total, rows = 0.0, 0
        for batch in data:
            below, label = lies_on(batch["places"]), played(batch)
            which = torch.randint(len(EXCHANGES), (len(below), 1))
            below = cards[which, below].gather(1, back[which[:, 0]])
            label = renumbered[which[:, 0], label]
            loss = nn.functional.cross_entropy(network(below), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total, rows = total + loss.item() * len(below), rows + len(below)
        print(f"epoch {epoch + 1}: {rows:,} positions, loss {total / rows:.3f}, {time.perf_counter() - started:.0f} s")
    return network.eval()


@torch.no_grad()
def scores(network: Network, positions: list[Position]) -> np.ndarray:
    """The network's scores of all moves in each position."""
    places = torch.from_numpy(np.stack([encode_position(p) for p in positions])).long()
    return network(lies_on(places)).numpy()


def accuracy(network: Network, dataset: str, most: int, variant: str | None) -> None:
    """Compare with the moves played in games that were not learned from."""
    columns = ["places", "move_source", "move_target", "move_cards"]
    training = TorchBatches(dataset, "positions", 4096, split="train", columns=columns, variant=variant)
    usual = np.argsort(-np.bincount(torch.cat([played(b) for b in training]).numpy(), minlength=MOVES))
    test = TorchBatches(dataset, "positions", 1024, split="test", columns=columns, variant=variant)
    seen = right = by_habit = 0
    by_chance = 0.0
    for batch in test:
        positions = [decode_position(row) for row in batch["places"].numpy()]
        rated = scores(network, positions)
        for position, row, move in zip(positions, rated, played(batch).tolist(), strict=True):
            legal = list(moves_of(position))
            right += legal[int(np.argmax(row[legal]))] == move
            by_habit += next(m for m in usual if m in legal) == move
            by_chance += 1 / len(legal)
        seen += len(positions)
        if seen >= most:
            break
    print(f"top-1 on {seen:,} positions of unseen games: {right / seen:.1%}")
    print(f"the most usual legal move: {by_habit / seen:.1%}; a uniform legal move: {by_chance / seen:.1%}")


def play(network: Network, games: list[int], most_moves: int = 200) -> int:
    """Play games with the best-rated move that leads to no position met before; returns how many are won."""
    playing = [from_layout(layout) for layout in deal(games)]
    met = [{position} for position in playing]
    won = 0
    for _ in range(most_moves):
        if not playing:
            break
        left = []
        for position, seen, row in zip(playing, met, scores(network, playing), strict=True):
            legal = moves_of(position)
            for number in sorted(legal, key=lambda number: -row[number]):
                after = automoves(carry(position, legal[number]), "horne")[0]
                if after not in seen:
                    break
            else:
                continue  # no way on: the game is lost
            if after.is_won:
                won += 1
            else:
                seen.add(after)
                left.append((after, seen))
        playing, met = [position for position, _ in left], [seen for _, seen in left]
    return won


def unseen(after: int, count: int) -> list[int]:
    """The first games of the split test after a game number."""
    numbers = np.arange(after + 1, after + 1 + 20 * count)
    return numbers[split_codes(numbers) == SPLITS.index("test")][:count].tolist()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--variant", help="which positions, where the dataset has several")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--test-positions", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(2)
    network = learn(options.dataset, options.epochs, options.width, options.variant)
    accuracy(network, options.dataset, options.test_positions, options.variant)
    last = load(options.dataset, "layouts", ["game_number"])["game_number"].max()
    games = unseen(last, options.games)
    won = play(network, games)
    print(f"played without search: {won} of {len(games):,} games of the split test won ({games[0]:,} to {games[-1]:,})")


if __name__ == "__main__":
    main()
