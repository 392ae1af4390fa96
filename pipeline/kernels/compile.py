"""How kernels are compiled: when they are first called, without the GIL and without bounds checks.

In: functions over NumPy arrays and integers. Out: the same, compiled.

numba takes longer to import than most commands take to run, so it is imported when the first kernel is called, and each function here
stands for its compiled form until then. With ``NUMBA_DISABLE_JIT=1`` all of them stay plain Python. Never use ``parallel=True`` together
with the cache, and pass tables as arguments: a global array is frozen into the compiled code.
"""

import functools
import importlib
import os
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

IS_PLAIN: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels run as plain Python, by numba's own setting."""

_lock = threading.RLock()


def _numba() -> Any:
    """The module that knows numba; importing it imports numba."""
    return importlib.import_module("pipeline.kernels.numba_door")


class Compiled:
    """A function that numba compiles when another kernel, or for a `kernel` Python, first calls it.

    ``options`` are those of ``numba.njit``. Kernels find the compiled form by ``_numba_type_``, as numba's own functions have it.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]):
        functools.update_wrapper(self, function)
        self.py_func, self.options = function, options
        self.made: Any = None

    @property
    def dispatcher(self) -> Any:
        """The function of numba that stands behind this one, made once for all threads."""
        if self.made is None:
            with _lock:
                if self.made is None:
                    self.made = _numba().dispatcher(self.py_func, self.options)
        return self.made

    @property
    def _numba_type_(self) -> Any:
        return _numba().helper_type(self.dispatcher)

    def __call__(self, *arguments: Any) -> Any:
        """Call the plain form: compiled alone, a helper has none that Python can call, and the process would crash."""
        return self.py_func(*arguments)


class Kernel(Compiled):
    """A compiled function that Python calls; it is cached where a folder can be written."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled form; arrays are changed in place."""
        if self.made is None:
            if IS_PLAIN:
                with np.errstate(over="ignore"):  # keys and signatures wrap around, as they do when compiled
                    return self.py_func(*arguments)
            return self.dispatcher(*arguments)
        return self.made(*arguments)


class Primitive(Compiled):
    """An operation for which numba has no name: compiled it is one instruction, plain it is the Python given here."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function, {})

    @property
    def _numba_type_(self) -> Any:
        return _numba().primitive_type(self.py_func.__name__)


def kernel(function: F) -> F:
    """Compile a function on its first call: no GIL, no bounds checks, cached where a folder can be written."""
    return cast(F, Kernel(function, {"nogil": True, "no_cfunc_wrapper": True}))


def inlined(function: F) -> F:
    """Compile a small function into each kernel that calls it; it is never cached by itself."""
    return cast(F, Compiled(function, {"nogil": True, **_NO_WRAPPERS}))


def bare(function: F) -> F:
    """Compile a small function, one that makes no arrays, into each kernel that calls it, without counting references.

    Numba counts the references to an array argument in every function that uses it in a loop or a branch; each count
    is an atomic operation, and in a search they took half of the time.
    """
    return cast(F, Compiled(function, {"nogil": True, "_nrt": False, "forceinline": True, **_NO_WRAPPERS}))


# By default numba compiles for every function a way in for Python and one for C: half of the time that helpers took.
_NO_WRAPPERS: Final = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
