"""The one door to numba: compiling, caching, and what the kernels of several rooms share."""
