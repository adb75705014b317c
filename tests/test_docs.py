"""What the README and the documentation show is what happens, no link is dead, and the site can be built."""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import comptoir
from comptoir.cli import parser
from comptoir.cli.arguments import cli_words
from comptoir.web.live.socket_commands import COMMANDS
from tests import example_game
from tests.research.playing import interpreted_chance, why_no_gpu
from tests.scripts import script

ROOT = Path(__file__).parents[1]
OWN_TEST = {"adding-a-game.md", "game-interface.md"}  # their examples need the game that they build
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name not in OWN_TEST),
]
TEXTS = [
    *PAGES,
    *(ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *(ROOT / "docs" / name for name in sorted(OWN_TEST)),
]


def blocks(page: Path, kind: str) -> list[tuple[int, str]]:
    """The blocks of a page that are marked so, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text[: block.start(2)].count("\n"), block[2]) for block in found if block[1] == kind]


def can_run(block: str) -> bool:
    """A block that needs more than a test can ask for says so in its first line: `# needs CUDA`, `# needs
    torch`.

    Where there is a GPU, PyTorch and JAX are taken to be too.
    """
    needs = re.match(r"# needs (\w+)", block)
    if needs is not None and needs[1] == "CUDA":
        return not why_no_gpu()
    return needs is None or importlib.util.find_spec(needs[1]) is not None


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name
)
def test_the_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In their order, as one program; a failure names the line of the page. OpenSpiel's rolls are not compiled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("comptoir.research.openspiel.with_explicit_chance", interpreted_chance)
    names: dict[str, Any] = {"__name__": "example"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    for line, block in blocks(page, "python"):
        if block.startswith(">>>"):
            example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), line)
            example.globs = names
            assert runner.run(example, clear_globs=False).failed == 0
        elif can_run(block):
            exec(compile("\n" * line + block, str(page), "exec"), names)


def test_there_are_examples() -> None:
    shown = {page.relative_to(ROOT).as_posix() for page in PAGES if blocks(page, "python")}
    research = {
        f"docs/research/{name}.md" for name in ("index", "actions", "batch", "observations", "openspiel")
    }
    assert shown > {
        "README.md",
        "docs/arena.md",
        "docs/bots.md",
        "docs/design.md",
        "docs/index.md",
        *research,
    }


def commands(page: Path) -> list[list[str]]:
    """What a page says to type after `comptoir`, in blocks of their own; words in capitals stand for
    something: GAME for batavia, others for 4.
    """
    lines = [
        line for _, block in blocks(page, "") for line in block.splitlines() if line.startswith("comptoir ")
    ]
    said = [shlex.split(line, comments=True)[1:] for line in lines if not line.startswith("comptoir match ")]
    said = [words[: words.index(">")] if ">" in words else words for words in said]
    stands_for = {"GAME": "batavia"}
    return [
        [stands_for.get(word, "4") if re.fullmatch("[A-Z]+", word) else word for word in words]
        for words in said
    ]


def test_every_command_shown_is_understood() -> None:
    words, seen = cli_words(None, "en"), 0
    with example_game.known():  # the tutorial plays the game that it makes
        for page in TEXTS:
            for command in filter(None, commands(page)):
                assert parser(command, words).parse_args(command).command == command[0], page.name
                seen += 1
    assert seen > 20


def test_the_package_example_runs() -> None:
    assert doctest.testmod(comptoir).failed == 0


def test_the_readme_begins_with_what_fits_on_a_screen() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    opening = readme.split("\n## Play\n")[0]
    assert len(opening.splitlines()) <= 30
    for part in ("make play", "make test", "make docs", "![A game"):
        assert part in opening
    for page in ("play.md", "host.md", "bots.md", "research/index.md", "design.md", "architecture.md"):
        assert f"](docs/{page}" in readme
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_command_line_page_is_what_the_parsers_say() -> None:
    page = script("tools/cli_reference.py").page()
    assert (ROOT / "docs/cli.md").read_text(encoding="utf-8") == page, "run: python tools/cli_reference.py"


def test_the_socket_page_has_every_command() -> None:
    page = (ROOT / "docs/websocket.md").read_text(encoding="utf-8")
    table = page.partition("## From the client")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert {name for row in rows[1:] for name in re.findall(r"`(\w+)`", row)} == set(COMMANDS)


def test_the_benchmarks_page_is_what_the_results_say() -> None:
    benchmarks = script("tools/benchmarks.py")
    assert benchmarks.main(["--check"]) == 0, "run: python tools/benchmarks.py"
    for result in benchmarks.results():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"]), result["title"]
        assert re.fullmatch(r"[0-9a-f]{7,40}", result["commit"]), result["title"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"date": None}, "expected the fields"),
        ({"group": "Colour"}, "group: expected one of"),
        ({"rows": [[1, 2]]}, "every row needs 1 cells"),
    ],
)
def test_a_result_that_lacks_something_is_refused(change: dict[str, Any], error: str, tmp_path: Path) -> None:
    benchmarks = script("tools/benchmarks.py")
    result = dict.fromkeys(benchmarks.FIELDS, "x") | {"group": "Speed", "columns": ["n"], "rows": [[1]]}
    result = {name: value for name, value in (result | change).items() if value is not None}
    (tmp_path / "one.json").write_text(json.dumps(result), encoding="utf-8")
    with pytest.raises(ValueError, match=error):
        benchmarks.results(tmp_path)


def test_the_release_check_finds_another_version_and_unreleased_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = script("tools/release_check.py")
    assert not [found for found in check.problems(f"v{comptoir.__version__}") if "Unreleased" not in found]
    assert len(list(check.problems("v99.0.0"))) >= 3
    for path in ("src/comptoir/__init__.py", "CITATION.cff"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text(encoding="utf-8"), encoding="utf-8")
    changelog = f"# Changelog\n\n## Unreleased\n\n- A change.\n\n## {comptoir.__version__}\n"
    (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    monkeypatch.setattr(check, "ROOT", tmp_path)
    [problem] = check.problems(f"v{comptoir.__version__}")
    assert "Unreleased" in problem


def test_links_lead_somewhere() -> None:
    for page in TEXTS:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"


def test_what_is_cited_is_this_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {comptoir.__version__}\n" in cited
    for page in PAGES:
        wheels = re.findall(r"comptoir-([\d.]+)-py3", page.read_text(encoding="utf-8"))
        assert set(wheels) <= {comptoir.__version__}, page.name


class Fetched(HTMLParser):
    """What a browser fetches by itself to show a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        key = "href" if tag == "link" else "src"
        self.addresses += [value for name, value in attrs if name == key and value and tag != "a"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built strictly: a warning is an error.

    (Not with --quiet, which hides warnings from --strict too.)
    """
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Documentation built" in done.stderr
    return folder


@pytest.mark.slow
def test_the_site_fetches_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        fetched = Fetched(page.read_text(encoding="utf-8")).addresses
        report = page.name.endswith((".en.html", ".fr.html"))  # the lab's need nothing else
        assert bool(fetched) != report, page
        assert not [address for address in fetched if "//" in address], page
    assert "//" not in (site / "site.css").read_text(encoding="utf-8")


def test_rules_and_examples_are_pages_of_the_site(site: Path) -> None:
    rules = (site / "project/src/comptoir/games/batavia/rules.fr/index.html").read_text(encoding="utf-8")
    assert "B12" in rules
    assert "json" in (site / "project/examples/steady/index.html").read_text(encoding="utf-8")
    assert "project/src/comptoir/games/batavia/rules.fr/" in (site / "play/index.html").read_text(
        encoding="utf-8"
    )


def test_docstrings_are_shown_as_they_are_meant(site: Path) -> None:
    batch = (site / "api/research/index.html").read_text(encoding="utf-8")
    shown = r"<td><code>action_masks</code></td>\s*<td>\(games, actions\) bool: its legal actions</td>"
    assert re.search(shown, batch)
    package = (site / "api/index.html").read_text(encoding="utf-8")
    assert "&gt;&gt;&gt;" in package
    assert "<blockquote>" not in package
