"""Batches as torch tensors, for a DataLoader with any number of workers.

In: a dataset, a table, a seed. Out: an `IterableDataset` of dictionaries of tensors. torch is an extra: it is imported on demand.

torch takes codes as indices only as int64 or int32 (it reads a uint8 index as a mask) and multiplies floats only. So codes, places and
counts come as int64, statistics as float32, and the bytes of the legal moves unpacked, a bool for each of the 152 actions.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.cards.errors import ConfigError
from pipeline.games.freecell.tables.positions_code import decode_legal
from pipeline.serve.learn.batches import BUFFER_ROWS, batches

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError:
    raise ConfigError("torch is not installed: `pip install 'dealbook[ml]'`") from None


def to_tensor(name: str, array: Any) -> torch.Tensor:
    """Turn one array of a batch into the tensor that layers and losses accept."""
    if name == "legal":
        return torch.from_numpy(decode_legal(array))
    tensor = torch.from_numpy(array)
    if name == "statistics":
        return tensor.float()
    return tensor if tensor.is_floating_point() or tensor.dtype == torch.bool else tensor.long()


class TorchBatches(IterableDataset[dict[str, torch.Tensor]]):
    """The batches of `batches` as tensors; give it to ``DataLoader(..., batch_size=None, num_workers=n)``.

    Each worker reads its own row groups, so that all workers together give every row once an epoch. Every epoch has another order: call
    `set_epoch` before it, as with torch's own distributed samplers. The arguments are those of `batches`.
    """

    def __init__(
        self,
        dataset: str,
        table: str,
        batch_size: int = 1024,
        seed: int = 0,
        split: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        variant: str | None = None,
        buffer_rows: int = BUFFER_ROWS,
    ):
        super().__init__()
        self._arguments = (str(dataset), table, batch_size)
        self._options = {"split": split, "columns": columns, "variant": variant, "buffer_rows": buffer_rows}
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass; workers that are kept alive between passes do not see it."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        shard = (0, 1) if worker is None else (worker.id, worker.num_workers)
        options: dict[str, Any] = {**self._options, "shard": shard}
        for batch in batches(*self._arguments, seed=[self._seed, self._epoch], **options):
            yield {name: to_tensor(name, array) for name, array in batch.items()}
