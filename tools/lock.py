"""Pins what a server installs, with hashes, and lists the licences: `make lock` runs it after a change of
constraints.txt.

requirements/app.txt holds `comptoir[app,postgres]` without Comptoir itself, build.txt what builds that, both
for `pip install --require-hashes`: the wheels of every Python and machine below, so that nobody can slip
another file in.
docs/licences.md says under which terms each may be used. Both name packages and versions, no addresses.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CONSTRAINTS, LICENCES = ROOT / "constraints.txt", ROOT / "docs/licences.md"
PINNED = {"app": f"{ROOT}[app,postgres]", "build": "hatchling"}  # in requirements/: what each file is for
PYTHONS = ("3.11", "3.12", "3.13")
MACHINES = ("x86_64", "aarch64")
# the oldest C library first: a wheel may ask for any up to Debian 12's
SYSTEMS = ("manylinux2014", "manylinux_2_24", "manylinux_2_27", "manylinux_2_28", "manylinux_2_34")
READ = {"resvg-py": "MIT"}  # what names no licence, but brings its text
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)

HEAD = f"""\
# Made by tools/lock.py from constraints.txt; docs/host.md says how it is installed.
# The wheels are those of Linux on {" and ".join(MACHINES)}, Python {PYTHONS[0]} to {PYTHONS[-1]}.
"""
LICENCES_HEAD = """\
# Licences

Comptoir is under the MIT licence (the file `LICENSE`). What a server also installs, as each package says
of itself; `make lock` writes this page from their metadata.

| package | version | licence |
|---|---|---|
"""
LICENCES_FOOT = """
The pages and link previews bring two fonts, EB Garamond and Inter (SIL Open Font License 1.1), and idiomorph
(0BSD); their licences are next to them in `src/comptoir/web/static/vendor/`. The games' rules are written in our
own words, and all pictures are our own drawings.
"""


def main() -> None:
    needed = {file: needs(what) for file, what in PINNED.items()}
    for file, packages in needed.items():
        (ROOT / f"requirements/{file}.txt").write_text(HEAD + "".join(entries(packages)))
    LICENCES.write_text(licences_page(needed["app"]))


def entries(packages: dict[str, str]) -> Iterator[str]:
    """The lines of a file of requirements: each package with the hashes of its wheels."""
    hashes: dict[str, set[str]] = {name: set() for name in packages}
    for python, machine in product(PYTHONS, MACHINES):
        print(f"Python {python}, {machine}: {len(packages)} packages", file=sys.stderr)
        for name, digest in wheels(packages.items(), python, machine):
            hashes[name].add(digest)
    for name in sorted(packages):
        digests = [f"--hash=sha256:{one}" for one in sorted(hashes[name])]
        yield " \\\n    ".join([f"{name}=={packages[name]}", *digests]) + "\n"


def needs(what: str) -> dict[str, str]:
    """Every package that is installed with one, with its version."""
    found = _report("--ignore-installed", what)
    return {
        plain(one["metadata"]["name"]): one["metadata"]["version"]
        for one in found
        if one["metadata"]["name"] != "comptoir"
    }


def wheels(pins: Iterable[tuple[str, str]], python: str, machine: str) -> Iterable[tuple[str, str]]:
    """The hash of the wheel of each package for a Python on a machine."""
    platforms = [flag for system in SYSTEMS for flag in ("--platform", f"{system}_{machine}")]
    wanted = [f"{name}=={version}" for name, version in pins]
    for one in _report(
        "--no-deps", "--only-binary", ":all:", "--python-version", python, *platforms, *wanted
    ):
        yield plain(one["metadata"]["name"]), one["download_info"]["archive_info"]["hashes"]["sha256"]


def _report(*arguments: str) -> list[dict[str, Any]]:
    """What pip would install; nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--report", str(file)]
        subprocess.run(
            [*command, "--target", folder, "--constraint", str(CONSTRAINTS), *arguments], check=True
        )
        found: list[dict[str, Any]] = json.loads(file.read_text())["install"]
        return found


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    """The versions that a file of requirements names."""
    return {plain(name): version for name, version in PIN.findall(text)}


def licences_page(packages: Iterable[str]) -> str:
    rows = (
        f"| {name} | {distribution(name).version} | {licence(distribution(name))} |\n" for name in packages
    )
    return LICENCES_HEAD + "".join(sorted(rows)) + LICENCES_FOOT


def licence(package: Distribution) -> str:
    """As the package says it: today's field, then the classifiers, then the field of old."""
    told = package.metadata
    kinds = [
        line.rpartition(" :: ")[2] for line in told.get_all("Classifier", []) if line.startswith("License ::")
    ]
    today, old = (told.get_all(field, [""])[0] for field in ("License-Expression", "License"))
    read = READ.get(plain(told["Name"]), "")
    return str(today or ", ".join(kinds) or old.strip().partition("\n")[0] or read)


if __name__ == "__main__":
    main()
