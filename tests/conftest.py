"""What holds for all tests."""

import signal

from hypothesis import settings

# A shell starts background jobs with SIGINT ignored, and so would be all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a kernel compiles it, and test machines are shared: no example is failed for its time.
settings.register_profile("dealbook", deadline=None)
settings.load_profile("dealbook")
