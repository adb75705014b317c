"""What is built from the sources holds all that playing needs, however it is built."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import comptoir
from tests.scripts import script

ROOT = Path(__file__).parents[1]
LICENCES = {"eb-garamond.LICENSE", "idiomorph.LICENSE", "inter.LICENSE"}
BUILD = "import sys; from hatchling import build; print(getattr(build, sys.argv[1])(sys.argv[2]))"


def build(folder: Path, kind: str, out: Path) -> Path:
    """A wheel or an sdist, by the backend of this environment: nothing is fetched."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD, f"build_{kind}", str(out)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the project that git keeps or would keep, as they are now."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    folder = tmp_path_factory.mktemp("clone")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


def test_a_wheel_from_the_sdist_is_complete(clone: Path, tmp_path: Path) -> None:
    sdist = build(clone, "sdist", tmp_path)
    with tarfile.open(sdist) as packed:
        packed.extractall(tmp_path, filter="data")
    unpacked = tmp_path / f"comptoir-{comptoir.__version__}"
    (tmp_path / "again").mkdir()
    direct, again = build(clone, "wheel", tmp_path), build(unpacked, "wheel", tmp_path / "again")
    assert files(direct) == files(again)
    source = clone / "src"
    ours = {str(path.relative_to(source)) for path in (source / "comptoir").rglob("*") if path.is_file()}
    assert ours <= files(direct)
    about = f"comptoir-{comptoir.__version__}.dist-info"
    assert {Path(name).parts[0] for name in files(direct)} == {"comptoir", about}
    licences = {Path(name).name for name in files(direct) if name.startswith(f"{about}/licenses/")}
    assert licences == {"LICENSE", *LICENCES}


def test_all_that_pages_ask_for_is_in_the_package() -> None:
    [vendor] = (ROOT / "src/comptoir/web").rglob("vendor")
    asked = set()
    for page in (ROOT / "src/comptoir/web").rglob("*"):
        if page.suffix in (".css", ".html", ".js"):
            asked |= set(re.findall(r"vendor/([\w.-]+)", page.read_text(encoding="utf-8")))
    there = {path.name for path in vendor.iterdir()}
    assert {name for name in there if not name.endswith(".LICENSE")} == asked
    assert {name for name in there if name.endswith(".LICENSE")} == LICENCES


@pytest.mark.skipif(
    not (ROOT / "node_modules").exists(), reason="npm's packages are not here: make node_modules/ready"
)
def test_what_is_kept_is_what_npm_has_locked() -> None:
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for package in ("idiomorph", "@fontsource/inter", "@fontsource/eb-garamond"):
        installed = json.loads((ROOT / "node_modules" / package / "package.json").read_text(encoding="utf-8"))
        assert installed["version"] == locked[f"node_modules/{package}"]["version"], "run: npm ci"
    vendor = script("tools/vendor.py")
    kept = {path.name: path.read_bytes() for path in vendor.VENDOR.iterdir()}
    assert kept == {name: source.read_bytes() for source, name in vendor.files()}, "run: make vendor"
    letters = {path.name: path.read_bytes() for path in vendor.PRINT.iterdir()}
    assert letters == dict(vendor.printed()), "run: make vendor"


def test_constraints_name_versions_and_no_addresses() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+", line), line


def test_all_that_is_asked_for_has_its_version() -> None:
    """What `make` installs comes in the version that was tried."""
    pinned = {
        line.partition("==")[0]
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    }
    known = {_plain(name) for name in pinned}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [
        need
        for name, needs in project["optional-dependencies"].items()
        if not name.startswith("cuda")
        for need in needs
    ]
    asked = {_plain(re.split(r"[>\[;]", need)[0]) for need in (*project["dependencies"], *extras)}
    assert asked - {"comptoir"} <= known


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("path", [".pre-commit-config.yaml", "CITATION.cff", ".github/dependabot.yml"])
def test_what_others_read_can_be_read(path: str) -> None:
    assert isinstance(yaml.safe_load((ROOT / path).read_text(encoding="utf-8")), dict)


@pytest.mark.parametrize("path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda p: p.stem)
def test_workflows_pin_actions_by_hash(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)


def test_the_workflow_runs_what_is_there() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert "make test" in commands
    named = [word for command in commands for word in command.split() if word.startswith("tests/")]
    assert named
    assert all((ROOT / word).exists() for word in named)
