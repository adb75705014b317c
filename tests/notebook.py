"""The notebooks of the documentation: their cells run in order, as one program.

A notebook's first cell of code says its sizes, such as `DEALS = 200`: tests run it with smaller ones. To run
one in full and keep what it prints:

    python -m tests.notebook docs/lab/pirates.ipynb
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs/lab"


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def code_of(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(notebook: dict[str, Any], **sizes: int) -> list[str]:
    """What each cell of code prints, with other sizes than the notebook's."""
    names: dict[str, Any] = {"__name__": "notebook"}
    told = []
    for cell in code_of(notebook):
        source = "".join(cell["source"])
        for name, size in sizes.items():
            source = re.sub(rf"^{name} = \d+", f"{name} = {size}", source, flags=re.MULTILINE)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(source, names)
        told.append(out.getvalue())
    return told


def renew(path: Path) -> None:
    """Runs a notebook in full and writes into it what it prints."""
    notebook = read(path)
    for nth, (cell, text) in enumerate(zip(code_of(notebook), printed(notebook), strict=True), 1):
        stream = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        cell["outputs"], cell["execution_count"] = [stream] if text else [], nth
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        renew(Path(sys.argv[1]))
