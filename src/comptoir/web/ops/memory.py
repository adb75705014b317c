"""What this process has of the machine's memory, and how it gives back what it no longer needs."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

LARGE = 128 * 1024  # bytes; a whole page for one person has more
SPARE = 16 * 2**20  # bytes at the heap's end that are kept for what comes next
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's mallopt
_MEMORY = Path("/proc/self/statm")


def memory() -> int:
    """How much there is, as far as it can be known; 0 where it cannot."""
    try:
        return int(_MEMORY.read_text().split()[1]) * 4096
    except OSError:
        return 0


def configure_malloc() -> None:
    """What is large is given back to the system when it is no longer used.

    Every socket is first told a whole page. The C library learns from that to keep large pieces in its heap,
    where small things that stay settle between them: with 800 sockets a quarter of a gigabyte of holes.
    """
    with contextlib.suppress(AttributeError, OSError):  # other systems have other libraries
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, LARGE)
        library.mallopt(_TRIM_THRESHOLD, SPARE)
