"""For mkdocstrings: columns in a docstring become a table on the page, and examples a block of Python."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

ROW = re.compile(r"([`\w./*-]+(?:, [`\w./*-]+)*) {2,}(\S.*)")  # a name or more, and what is said of it


class Docstrings(Extension):
    """Loaded by mkdocs.yml."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = "\n\n".join(_paragraph(text) for text in obj.docstring.value.split("\n\n"))


def _paragraph(text: str) -> str:
    if text.startswith(">>>"):
        return f"```python\n{text}\n```"
    return _table(text) if ROW.match(text) else text


def _table(text: str) -> str:
    """A line that is indented continues with the row before it."""
    rows: list[tuple[str, str]] = []
    for line in text.splitlines():
        row = ROW.fullmatch(line)
        if row is not None:
            rows.append((row[1].strip("`"), row[2]))
        else:
            name, meaning = rows.pop()
            rows.append((name, f"{meaning} {line.strip()}"))
    return "\n".join(["| | |", "|---|---|", *(f"| `{name}` | {meaning} |" for name, meaning in rows)])
