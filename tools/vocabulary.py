"""Writes the lists of names at the end of the vocabulary's page out of the code.

    python tools/vocabulary.py           writes docs/vocabulary.md
    python tools/vocabulary.py --check   fails if the page is not up to date

What stands above the marker is written by hand. A test compares the rest with what the code says now.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel

from comptoir.cli import COMMANDS, parser
from comptoir.cli.arguments import cli_words
from comptoir.engine.mistakes import signatures
from comptoir.web.http import api
from comptoir.web.live.socket_commands import COMMANDS as SOCKET_COMMANDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/comptoir"
PAGE = ROOT / "docs/vocabulary.md"
MARKER = "<!-- From here on: written by tools/vocabulary.py. -->\n"
DIRECTIVE = re.compile(r"^::: (\S+)", re.MULTILINE)
VARIABLE = re.compile(r"\bCOMPTOIR_[A-Z_]+\b")
FORM_FIELD = re.compile(r'<(?:input|select|textarea|button)\b[^>]*? name="([a-z_]+)"')
METRIC = re.compile(r'"(comptoir_\w+)"')
PROPERTY = re.compile(r"@property \{.*\} \[?(\w+)")
TYPE = re.compile(r"/\*\*.*?@typedef \{object\} (\w+)(.*?)\*/", re.DOTALL)
WEB = [
    "domain",
    "storage",
    "ops",
    "view",
    "live",
    "http",
]  # the layers of `web`, which are packages of their own
TOML_FILES = ("components.toml", "evaluation.toml", "lesson.toml", "words.toml")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    new = page()
    if options.parse_args().check:
        current = PAGE.read_text(encoding="utf-8") == new
        print(PAGE, "is up to date" if current else "is out of date: run python tools/vocabulary.py")
        return 0 if current else 1
    PAGE.write_text(new, encoding="utf-8")
    print(PAGE)
    return 0


def page() -> str:
    """The page: what is written by hand, and the lists."""
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(MARKER)
    return head + MARKER + "".join(f"\n### {title}\n\n{lines()}" for title, lines in LISTS.items())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def alphabetical(name: str) -> tuple[str, str]:
    return name.casefold(), name


# Python


def python_api() -> str:
    """What the pages of the API reference show."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "docs/api").glob("*.md")):
        for name in DIRECTIVE.findall(path.read_text(encoding="utf-8")):
            found[path.stem].append(name)
    rows = [(f"[{stem}](api/{stem}.md)", code(names)) for stem, names in found.items()]
    return "Names that no page of the API lists may change without notice.\n\n" + table(
        ("Page", "Names"), rows
    )


def shared_names() -> str:
    """What one package imports from another, by the module that defines it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        here = package_of(path.relative_to(SOURCE).with_suffix("").parts)
        for module, name in imports(path):
            if package_of(tuple(module.split("."))) != here:
                found[module].add(name)
    rows = [(f"`{module}`", code(sorted(found[module], key=alphabetical))) for module in sorted(found)]
    return (
        "What at least one other package imports, by module; the layers of `web` count as packages.\n\n"
        + table(("Module", "Names"), rows)
    )


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Names that a file imports from our modules, without `comptoir.`"""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("comptoir."):
            module = (node.module or "").removeprefix("comptoir.")
            for one in node.names:
                if not is_module(f"{module}.{one.name}"):
                    yield module, one.name


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def package_of(parts: tuple[str, ...]) -> str:
    deep = 2 if parts[0] == "games" or (parts[0] == "web" and parts[1:] and parts[1] in WEB) else 1
    return ".".join(parts[:deep])


def game_files() -> str:
    """The functions that the files of a game may define."""
    rows = [
        (f"`{file}.py`", code(sorted(known, key=alphabetical)))
        for file, known in sorted(signatures().items())
    ]
    return "[Add a game](adding-a-game.md) says what they do.\n\n" + table(("File", "Functions"), rows)


# The command line and the environment


def command_line() -> str:
    """Each option with its commands; docs/cli.md says what they mean."""
    found: dict[str, list[str]] = defaultdict(list)
    for command in COMMANDS:
        top = parser([command], cli_words(None, "en"))
        [commands] = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
        for action in commands.choices[command]._actions:
            for name in action.option_strings:
                if name not in ("-h", "--help", "--lang"):
                    found[name].append(command)
    rows = [(f"`{name}`", code(found[name])) for name in sorted(found)]
    return f"Commands: {code(COMMANDS)}. [The command line](cli.md) says what each option means.\n\n" + table(
        ("Option", "Commands"), rows
    )


def environment() -> str:
    """Variables that the package, the image and the units read."""
    places = [
        *SOURCE.rglob("*.py"),
        *SOURCE.rglob("*.toml"),
        *(ROOT / "deploy").rglob("*"),
        ROOT / "Dockerfile",
    ]
    texts = [path.read_text(encoding="utf-8") for path in places if path.is_file()]
    found = {name.rstrip("_") for text in texts for name in VARIABLE.findall(text)}
    return f"{code(sorted(found))}.\n"


# Files


def toml_keys() -> str:
    """The tables of a game's TOML files, and the keys that all of them may have."""
    rows = []
    for file in TOML_FILES:
        data = [tomllib.loads(path.read_text(encoding="utf-8")) for path in SOURCE.glob(f"games/*/{file}")]
        tables = {f"[{key}]" for one in data for key, value in one.items() if isinstance(value, dict)}
        rows.append((f"`{file}`", code(sorted(tables))))
    return "[File formats](formats.md) says what the files contain.\n\n" + table(("File", "Tables"), rows)


# HTTP


def routes() -> str:
    """Addresses, with the fields that their queries may have."""
    found: dict[str, set[str]] = defaultdict(set)
    queries: dict[str, set[str]] = defaultdict(set)
    for path in sorted((SOURCE / "web/http").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prefix = next(map(prefix_of, filter(is_router, ast.walk(tree))), "")
        for handler in ast.walk(tree):
            for decorator in handler.decorator_list if isinstance(handler, ast.AsyncFunctionDef) else ():
                match decorator:
                    case ast.Call(
                        ast.Attribute(_, "get" | "post" as method), [ast.Constant(str(address)), *_]
                    ):
                        found[prefix + address].add(method.upper())
                        queries[prefix + address] |= query_of(handler, prefix + address)
    rows = [
        (f"`{address}`", ", ".join(sorted(found[address])), code(sorted(queries[address])))
        for address in sorted(found)
    ]
    fields = {name for path in (SOURCE / "web/view/templates").rglob("*.html") for name in forms(path)}
    return table(("Address", "Methods", "Query"), rows) + f"\nFields of forms: {code(sorted(fields))}.\n"


def query_of(handler: ast.AST, address: str) -> set[str]:
    """A handler's parameters that are neither in the address nor in the body."""
    assert isinstance(handler, ast.AsyncFunctionDef)
    return {
        one.arg
        for one in handler.args.args
        if one.arg not in ("request", "response", "wish", "answer") and f"{{{one.arg}}}" not in address
    }


def forms(template: Path) -> list[str]:
    return FORM_FIELD.findall(template.read_text(encoding="utf-8"))


def is_router(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "APIRouter"


def prefix_of(router: ast.AST) -> str:
    assert isinstance(router, ast.Call)
    return "".join(ast.literal_eval(one.value) for one in router.keywords if one.arg == "prefix")


def api_fields() -> str:
    models = [one for one in vars(api).values() if isinstance(one, type) and issubclass(one, BaseModel)]
    rows = [
        (f"`{one.__name__}`", code(one.model_fields))
        for one in sorted(models, key=lambda one: one.__name__)
        if one is not BaseModel
    ]
    return table(("Model", "Fields"), rows)


def socket_fields() -> str:
    """Types of messages that a page sends, and the fields of what it is sent, from dom.js."""
    text = (SOURCE / "web/static/dom.js").read_text(encoding="utf-8")
    rows = [(f"`{name}`", code(PROPERTY.findall(body))) for name, body in TYPE.findall(text)]
    return f"A page sends messages whose `type` is one of {code(SOCKET_COMMANDS)}. It is sent:\n\n" + table(
        ("Message or part", "Fields"), rows
    )


def metrics() -> str:
    text = (SOURCE / "web/ops/monitoring.py").read_text(encoding="utf-8")
    return f"{code(sorted(set(METRIC.findall(text))))}.\n"


LISTS: Mapping[str, Callable[[], str]] = {
    "The Python API": python_api,
    "What a game may define": game_files,
    "The command line": command_line,
    "Environment variables": environment,
    "Tables of TOML files": toml_keys,
    "HTTP addresses": routes,
    "Fields of the HTTP interface": api_fields,
    "Messages on the socket": socket_fields,
    "Metrics": metrics,
    "Names that packages share": shared_names,
}


if __name__ == "__main__":
    sys.exit(main())
