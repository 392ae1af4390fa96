"""The one module that imports numba: functions are compiled and their code is cached here.

In: Python functions and options. Out: numba's dispatchers, and the types by which kernels know helpers and primitives.
"""

from collections.abc import Callable
from typing import Any, Final

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import make_array

from pipeline.kernels.cache import Place, place_of

config: Any = numba.config  # its attributes are made at run time


class Locator:
    """Tells numba where the code of our kernels is kept; numba finds it by its setting ``CACHE_LOCATOR_CLASSES``."""

    def __init__(self, place: Place, file: str):
        self.place = place
        self._py_file = file  # for numba's warnings

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "Locator | None":
        """Make the locator of a function, or None where no folder can be written."""
        place = place_of(function)
        return cls(place, file) if place else None

    def get_cache_path(self) -> str:
        """The folder of the function's files."""
        return str(self.place.folder)

    def ensure_cache_path(self) -> None:
        """Make the folder, as code is about to be written, and clear away what it takes the place of."""
        self.place.folder.mkdir(parents=True, exist_ok=True)
        self.place.remove_outdated()

    def get_source_stamp(self) -> str:
        """What tells whether code is out of date."""
        return self.place.stamp

    def get_disambiguator(self) -> str:
        """What stands in the file's name behind that of the function."""
        return self.place.stamp


def dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Make numba's form of a function; a kernel's is cached."""
    is_kernel = not options.get("no_cpython_wrapper")
    if not is_kernel or place_of(function) is None:
        return numba.njit(**options)(function)
    others = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__}"
    try:
        made = numba.njit(cache=True, **options)(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = others
    _load_without_refresh(made)
    return made


def _load_without_refresh(made: Any) -> None:
    """Let a kernel that is found in the cache be loaded without all that numba imports to compile one: 0.13 s.

    numba refreshes its target before it looks into the cache. Loading takes its runtime alone, and a kernel that is not found is
    compiled, which refreshes the target itself. Where numba's inside has changed, its own way is left in place.
    """
    cache: Any = getattr(made, "_cache", None)
    load, guard = getattr(cache, "_load_overload", None), getattr(cache, "_guard_against_spurious_io_errors", None)
    if load is None or guard is None:
        return

    def load_overload(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)
        with guard():
            return load(signature, target)

    cache.load_overload = load_overload


class HelperType(types.Dispatcher):
    """The type of a helper: literal arguments count as what they are literals of, so that a helper is not compiled for each."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Resolve a call by the types of its arguments."""
        return super().get_call_type(
            context, tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
        )


register_model(HelperType)(models.OpaqueModel)


def helper_type(made: Any) -> Any:
    """The type by which kernels know a function that is compiled into them."""
    return HelperType(made)


def primitive_type(name: str) -> Any:
    """The type by which kernels know a primitive."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(_PRIMITIVES[name])


@intrinsic
def _trailing_zeros(typing_context, bits):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@intrinsic
def _popcount(typing_context, bits):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        entry = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        hint = ir.FunctionType(ir.VoidType(), [entry.type] + [cgutils.int32_t] * 3)
        function = cgutils.get_or_insert_function(builder.module, hint, "llvm.prefetch.p0")
        for_reading, keep, data_cache = (cgutils.int32_t(number) for number in (0, 3, 1))
        builder.call(function, [entry, for_reading, keep, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate


_PRIMITIVES: Final = {"trailing_zeros": _trailing_zeros, "popcount": _popcount, "prefetch": _prefetch}
