"""Large bodies leave the process when they are done with; glibc would keep them on its heap and fragment it (RS-24)."""

import ctypes
import sys
from contextlib import suppress

M_MMAP_THRESHOLD = -3
M_TRIM_THRESHOLD = -1
LARGE_BYTES = 512 * 1024


def give_back_large_blocks() -> None:
    """Blocks from 512 KiB on get a mapping of their own for good; by default that limit rises to 32 MiB with use."""
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        libc.mallopt(M_TRIM_THRESHOLD, LARGE_BYTES)
