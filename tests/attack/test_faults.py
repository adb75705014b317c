"""The whole stack under faults, for a few minutes: `bench/faults.py` runs it for hours."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "faults.py"
FAULTS = "worker,database,shortage,bots,caddy,stop"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy: apt-get install caddy")
def test_a_few_faults_of_each_part() -> None:
    """Nothing acknowledged is lost, no table stays behind, no page is shown less than it has seen."""
    command = [sys.executable, str(BENCH), "--faults", FAULTS, "--tables", "4", "--double", "0", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.stdout, done.stderr[-3000:]
    report = json.loads(done.stdout)
    assert report["acknowledged"] > 0
    assert sum(report["faults"].values()) == 6
    broken = {name: report[name] for name in ("lost", "behind", "stuck", "down", "stepped_back")}
    broken |= {name: report[name] for name in ("differing", "undocumented", "failed")}
    assert broken == {name: [] for name in broken}
