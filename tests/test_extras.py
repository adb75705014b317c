"""What is not installed is told in one sentence, with the command that installs it from where Comptoir
came.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import comptoir
from comptoir import extras
from comptoir.cli import main

ROOT = Path(__file__).parents[1]


def come_from(monkeypatch: pytest.MonkeyPatch, note: str | None) -> None:
    """As if pip had noted this about where Comptoir came from."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return note

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed())
    monkeypatch.setattr(sys, "executable", "python")


def test_the_command_names_the_clone_the_wheel_or_the_index(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clone = json.dumps({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    come_from(monkeypatch, clone)
    assert extras.command("app") == f"python -m pip install -e '{tmp_path}[app]'"
    wheel = tmp_path / "comptoir 1.whl"
    note = json.dumps({"url": wheel.as_uri(), "archive_info": {}})
    come_from(monkeypatch, note)
    assert extras.command("ray") == "python -m pip install 'comptoir[ray]'", "the wheel is no longer there"
    wheel.touch()
    assert extras.command("ray") == f"python -m pip install '{wheel}[ray]'"
    come_from(monkeypatch, None)
    assert extras.command("ray") == "python -m pip install 'comptoir[ray]'"


def test_a_copy_that_pip_does_not_know_names_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", unknown)
    monkeypatch.setattr(sys, "executable", "python")
    assert extras.command("png") == "python -m pip install 'comptoir[png]'"


def test_the_command_line_says_it_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    come_from(monkeypatch, None)
    assert main(["serve", "--no-browser"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "comptoir: the app in the browser needs uvicorn, which is not installed; install it with: "
        "python -m pip install 'comptoir[app]' (or play in the terminal: comptoir play GAME)\n"
    )


def test_a_module_of_ours_that_is_not_there_is_our_fault() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"comptoir\.nowhere") as error, extras.needs("app"):
        importlib.import_module("comptoir.nowhere")
    assert not isinstance(error.value, comptoir.MissingExtra)


def test_every_extra_named_is_one_there_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.NEEDED_BY) <= set(project["optional-dependencies"])


def test_what_all_install_needs_no_extra() -> None:
    """Engine, terminal, bots, arena and batches load with NumPy, Numba, platformdirs and rich alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    absent = sorted(
        {
            re.split(r"[>\[;]", need)[0].replace("-", "_")
            for extra in ("app", "research")
            for need in project[extra]
        }
        - {"comptoir"}
    )
    code = f"""
import sys
for name in {[*absent, "starlette", "ray", "resvg_py", "psycopg", "pyspiel", "PIL"]}:
    if name != "markdown_it_py":
        sys.modules[name] = None
import comptoir.arena, comptoir.bots.levels, comptoir.research
import comptoir.cli.play, comptoir.cli.arena, comptoir.cli.simulate, comptoir.cli.rules, comptoir.cli.replay, comptoir.cli.verify
from comptoir.cli import main
sys.exit(main(["rules", "batavia", "B12"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "B12" in done.stdout


def test_python_m_comptoir_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "comptoir", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"comptoir {comptoir.__version__}\n")
