"""The one door to numba: how kernels are compiled and cached, and the bit operations they share.

In: functions over NumPy arrays and integers. Out: the same, compiled without the GIL.

numba stores a compiled function beside a stamp of its own file alone, so a kernel that inlines a function of another module would keep
running that module's old code after an edit. Here each module has a cache folder named after the text of the module and of all modules
of ours that it imports. Where no folder can be written, kernels are compiled anew in each process. Never use ``parallel=True``
together with this cache, and pass tables as arguments: a global array is frozen into the compiled code.
"""

import functools
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

config: Any = numba.config  # its attributes are made at run time

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(
    rf"^\s*(?:from|import) {__name__.partition('.')[0]}\.([\w.]+)(?: import \(?([\w, ]+))?", re.MULTILINE
)


def _sources(path: Path, found: dict[Path, bytes]) -> dict[Path, bytes]:
    """Collect the text of a module and of the modules of ours that it imports, however deep."""
    if path in found or not path.is_file():
        return found
    found[path] = path.read_bytes()
    for module, names in _IMPORT.findall(found[path].decode()):
        target = _PACKAGE / module.replace(".", "/")
        for candidate in [target, *(target / name.strip() for name in names.split(","))]:
            _sources(candidate.with_suffix(".py"), found)
    return found


@functools.cache
def _cache_root() -> Path | None:
    """The folder of all compiled kernels, made if need be, or None where none can be written."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    try:
        root = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("dealbook")) / "kernels"
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


@functools.cache
def cache_folder(module: str) -> Path | None:
    """The folder of one module's compiled kernels, or None where they are compiled anew in each process."""
    file = sys.modules[module].__file__ or ""
    root = None if config.DISABLE_JIT or not Path(file).is_file() else _cache_root()
    if root is None:
        return None
    digest = hashlib.blake2b(digest_size=8)
    for path, text in sorted(_sources(Path(file), {}).items()):
        digest.update(path.name.encode() + b"\0" + text)
    return root / f"{module}-{digest.hexdigest()}"


def kernel(function: F) -> F:
    """Compile a function on its first call: no GIL, no bounds checks, cached where a folder can be written."""
    folder = cache_folder(function.__module__)
    if folder is None:
        return cast(F, numba.njit(nogil=True)(function))
    config.CACHE_DIR = str(folder)  # read by njit when it makes the function's cache
    return cast(F, numba.njit(nogil=True, cache=True)(function))


def inlined(function: F) -> F:
    """Compile a small function into each kernel that calls it; it is never cached by itself."""
    return cast(F, numba.njit(nogil=True)(function))


def bare(function: F) -> F:
    """Compile a small function, one that makes no arrays, into each kernel that calls it, without counting references.

    Numba counts the references to an array argument in every function that uses it in a loop or a branch; each count
    is an atomic operation, and in a search they took half of the time.
    """
    options: dict[str, Any] = {"nogil": True, "_nrt": False, "forceinline": True}
    return cast(F, numba.njit(**options)(function))


def is_cached(*functions: Callable[..., Any]) -> bool:
    """Whether each of these kernels has compiled code in the cache, so that its first call is quick."""

    def found(function: Callable[..., Any]) -> bool:
        folder = cache_folder(function.__module__)
        return folder is not None and any(folder.rglob(f"*.{function.__name__}-*.nbi"))

    return all(found(function) for function in functions)


if config.DISABLE_JIT:

    def trailing_zeros(bits: int) -> int:
        """Count the zero bits below the lowest set bit of a non-zero int64."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def popcount(bits: int) -> int:
        """Count the set bits of an int64."""
        return (int(bits) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()

    def prefetch(array: Any, index: int) -> None:
        """Ask for an entry of a one-dimensional array to be brought into the processor's cache."""

else:

    @intrinsic
    def trailing_zeros(typing_context, bits):  # type: ignore[no-untyped-def]
        """Count the zero bits below the lowest set bit of a non-zero int64."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), generate

    @intrinsic
    def popcount(typing_context, bits):  # type: ignore[no-untyped-def]
        """Count the set bits of an int64."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), generate

    @intrinsic
    def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
        """Ask for an entry of a one-dimensional array to be brought into the processor's cache."""

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            data = make_array(signature.args[0])(context, builder, arguments[0]).data
            entry = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
            hint = ir.FunctionType(ir.VoidType(), [entry.type] + [cgutils.int32_t] * 3)
            function = cgutils.get_or_insert_function(builder.module, hint, "llvm.prefetch.p0")
            for_reading, keep, data_cache = (cgutils.int32_t(number) for number in (0, 3, 1))
            builder.call(function, [entry, for_reading, keep, data_cache])
            return context.get_dummy_value()

        return types.void(array, index), generate
