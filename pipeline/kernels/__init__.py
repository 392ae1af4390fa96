"""The one door to numba: compiling, caching, and what kernels of several rooms share."""
