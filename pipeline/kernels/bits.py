"""Sets of up to 64 things as the bits of an int64: the operations for which numba has no name.

In: integers. Out: integers; each is one instruction in a kernel.
"""

from typing import Any

from pipeline.kernels.compile import F, Primitive


def _primitive(function: F) -> F:
    return Primitive(function)  # type: ignore[return-value]


@_primitive
def trailing_zeros(bits: Any) -> int:
    """Count the zero bits below the lowest set bit of a non-zero int64."""
    return (int(bits) & -int(bits)).bit_length() - 1


@_primitive
def popcount(bits: Any) -> int:
    """Count the set bits of an int64."""
    return (int(bits) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


@_primitive
def prefetch(array: Any, index: Any) -> None:
    """Ask for an entry of a one-dimensional array to be brought into the processor's cache."""
