"""What is large is given back to the system, whatever small things have settled next to it."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

# pages come and go, and a little of each stays
PAGES = """
from comptoir.web.ops.memory import configure_malloc, memory
if {giving}:
    configure_malloc()
def made(size):
    return b"x" * size

made(1_000_000)
pages, kept, before = [], [], memory()
for _ in range(400):
    pages.append(made(300_000))
    kept.append(made(3_000))
most = memory()
del pages
print((memory() - before) / (most - before))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="not glibc")
def test_pages_leave_no_holes() -> None:
    assert _left(giving=True) < 0.1 < _left(giving=False)


def _left(*, giving: bool) -> float:
    """The part of the memory that is not given back."""
    done = subprocess.run(
        [sys.executable, "-c", PAGES.format(giving=giving)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)
