"""NumPy arrays as Arrow arrays, and the digest of dealt cards.

In: arrays of integers. Out: Arrow arrays over the same memory; a SHA-256.
"""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def arrow_array(values: NDArray[Any]) -> pa.Array:
    """Wrap a contiguous array of integers as an Arrow array, without a copy and without the import of pandas that pa.array makes."""
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), values.size, [None, pa.py_buffer(values)])


def cards_digest(places: NDArray[np.uint8]) -> str:
    """SHA-256 of the C-order bytes of the layouts as uint8[n, 52], given place by place as uint8[52, n]."""
    return hashlib.sha256(np.ascontiguousarray(places.T).data).hexdigest()
