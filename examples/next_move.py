"""Learn the next move of solved games, and play without search.

    dealbook build --last 5000 --part-size 1000 --out data/small
    dealbook solve data/small && dealbook positions data/small
    python examples/next_move.py data/small

The order of columns and freecells means nothing in FreeCell, so the network sees what each card lies on instead of where, and rates a
move by the card that moves and what it moves onto. The mask of legal moves keeps it from learning which moves are legal.
Needs torch: pip install 'dealbook[ml]'.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

from pipeline import TorchBatches, decode_legal, encode_legal, encode_position, load, split_codes
from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.rules.automove import automoves
from pipeline.games.freecell.rules.moves import carry, legal_moves
from pipeline.games.freecell.rules.position import Position, from_layout
from pipeline.games.freecell.tables.positions_code import ACTIONS, AT_HOME, COLUMN_HOME, FIRST_CELL, TO_CELL, action_of
from pipeline.tables.split import SPLITS

COLUMNS = ["places", "legal", "action"]
BASE, FREE, HOME_PILE = 52, 53, 54  # what a card lies on, beside another card
BELOW = 55
KINDS = 5  # a card moves onto the first or second card that takes it, an empty column, a freecell, home

_ACTION = torch.arange(ACTIONS)
# Where each action takes from (0 .. 7 columns, 8 .. 15 freecells) and the column it goes to (8: none).
SOURCE = torch.where(_ACTION < TO_CELL, _ACTION // 8, (_ACTION - TO_CELL) % 8)
SOURCE = torch.where(_ACTION >= COLUMN_HOME, _ACTION - COLUMN_HOME, SOURCE)
TARGET = torch.where(_ACTION < TO_CELL, _ACTION % 8, 8)
OTHER_KIND = torch.where(_ACTION < COLUMN_HOME, 3, 4)


def look(places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What each card lies on, int64[n, 52] of 0 .. 54, and the card and kind of each action, int64[n, 152] (of legal ones)."""
    n = len(places)
    card_at = torch.zeros(n, AT_HOME + 1, dtype=torch.int64)
    card_at.scatter_(1, places, torch.arange(52).expand(n, 52))
    below = card_at.gather(1, (places - 8).clamp(min=0))
    below[places < 8] = BASE
    below[places >= FIRST_CELL] = FREE
    below[places == AT_HOME] = HOME_PILE
    heights = torch.zeros(n, 9, dtype=torch.int64)
    heights.scatter_add_(1, torch.where(places < FIRST_CELL, places % 8, 8), torch.ones_like(places))
    heights[:, 8] = 0
    exposed = card_at.gather(1, (8 * (heights[:, :8] - 1) + torch.arange(8)).clamp(min=0))
    exposed = torch.cat([exposed, card_at[:, FIRST_CELL:AT_HOME], exposed[:, :1]], 1)
    card, onto = exposed[:, SOURCE], exposed[:, TARGET]
    is_onto_card = (TARGET < 8) & (heights[:, TARGET] > 0)
    # The ranks tell how many cards move onto a card, and so which of them is the lowest.
    depth = torch.where(is_onto_card & (SOURCE < 8), (onto >> 2) - (card >> 2) - 1, 0).clamp(min=0)
    lowest = 8 * (heights[:, SOURCE.clamp(max=7)] - 1 - depth) + SOURCE
    card = torch.where(depth > 0, card_at.gather(1, lowest.clamp(0, AT_HOME)), card)
    kind = torch.where(is_onto_card, ((onto & 3) >= 2).long(), torch.where(TARGET < 8, 2, OTHER_KIND))
    return below, KINDS * card + kind


class Network(nn.Module):
    """Rates the 152 actions of a position."""

    def __init__(self, width: int):
        super().__init__()
        self.cards = nn.EmbeddingBag(52 * BELOW, width, mode="sum")
        self.rest = nn.Sequential(
            nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 52 * KINDS)
        )
        nn.init.normal_(self.cards.weight, std=0.1)

    def forward(self, places: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        below, moves = look(places)
        rated = self.rest(self.cards(below + BELOW * torch.arange(52)))
        return rated.gather(1, moves).masked_fill(~legal, -1e9)


def learn(dataset: str, epochs: int, width: int, variant: str | None) -> Network:
    """Train on the games of the split train."""
    torch.manual_seed(0)
    network = Network(width)
    data = TorchBatches(dataset, "positions", 256, split="train", columns=COLUMNS, variant=variant)
    steps = epochs * sum(1 for _ in data)
    optimizer = torch.optim.Adam(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    started = time.process_time()
    for epoch in range(epochs):
        data.set_epoch(epoch)
        total, rows = 0.0, 0
        for batch in data:
            loss = nn.functional.cross_entropy(network(batch["places"], batch["legal"]), batch["action"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total, rows = total + loss.item() * len(batch["action"]), rows + len(batch["action"])
        spent = time.process_time() - started
        print(
            f"epoch {epoch + 1}: {rows:,} positions, loss {total / rows:.3f}, {spent:.0f} s of processor time",
            flush=True,
        )
    return network.eval()


@torch.no_grad()
def accuracy(network: Network, dataset: str, variant: str | None) -> None:
    """Compare with the moves played in games that were not learned from."""
    training = TorchBatches(dataset, "positions", 4096, split="train", columns=["action"], variant=variant)
    usual = torch.bincount(torch.cat([batch["action"] for batch in training]), minlength=ACTIONS)
    seen = right = by_habit = 0
    by_chance = 0.0
    for batch in TorchBatches(dataset, "positions", 1024, split="test", columns=COLUMNS, variant=variant):
        legal, played = batch["legal"], batch["action"]
        right += (network(batch["places"], legal).argmax(1) == played).sum().item()
        by_habit += (usual.where(legal, -1).argmax(1) == played).sum().item()
        by_chance += (1 / legal.sum(1)).sum().item()
        seen += len(played)
    print(f"top-1 on {seen:,} positions of unseen games: {right / seen:.1%}")
    print(f"the most usual legal move: {by_habit / seen:.1%}; a uniform legal move: {by_chance / seen:.1%}")


@torch.no_grad()
def rate(network: Network, positions: list[Position]) -> np.ndarray:
    """The network's ratings of all actions in each position."""
    places = np.stack([encode_position(position) for position in positions])
    legal = decode_legal(np.stack([encode_legal(legal_moves(position)) for position in positions]))
    return network(torch.from_numpy(places).long(), torch.from_numpy(legal)).numpy()


def play(network: Network, games: list[int], most_moves: int = 150) -> int:
    """Play games with the best-rated move that leads to no position met before; returns how many are won."""
    playing = [(position, {position}) for position in map(from_layout, deal(games))]
    won = 0
    for _ in range(most_moves):
        if not playing:
            break
        left = []
        for (position, met), ratings in zip(playing, rate(network, [position for position, _ in playing]), strict=True):
            moves = {
                action_of(move.source, move.target): move for move in legal_moves(position)
            }  # the longest into a column
            for action in sorted(moves, key=lambda action: -ratings[action]):
                after = automoves(carry(position, moves[action]), "horne")[0]
                if after not in met:
                    won += after.is_won
                    if not after.is_won:
                        left.append((after, met | {after}))
                    break
        playing = left
    return won


def unseen(after: int, count: int) -> list[int]:
    """The first games of the split test after a game number."""
    numbers = np.arange(after + 1, after + 1 + 20 * count)
    return numbers[split_codes(numbers) == SPLITS.index("test")][:count].tolist()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--variant", help="which positions, where the dataset has several")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--games", type=int, default=1000)
    options = parser.parse_args()
    network = learn(options.dataset, options.epochs, options.width, options.variant)
    accuracy(network, options.dataset, options.variant)
    last = load(options.dataset, "layouts", ["game_number"])["game_number"].max()
    games = unseen(last, options.games)
    won = play(network, games)
    print(f"played without search: {won} of {len(games):,} games of the split test won ({games[0]:,} to {games[-1]:,})")


if __name__ == "__main__":
    main()
