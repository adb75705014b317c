"""Databases as older versions of Comptoir have written them, as SQL: no table in them may ever break the app.

Each holds, of every game, a table that waits, one at which a match is on, a finished one, a match that was brought
and one that was brought unfinished; Anne and Bruno sit at them. They are kept for ever, and never edited.

| file | what wrote it |
|---|---|
| schema-1-first-rules.sql | f85221d: version 1 of all rules, tables that do not say so |
| schema-1.sql | 41c6d9a: version 2 of Sail to India and Marco Polo, tables that do not say so |
| schema-2.sql | the first version whose tables say by which rules they are played, and keep finished matches |
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = sorted(file.stem for file in FOLDER.glob("*.sql"))


def restore(name: str, file: Path) -> str:
    """A stored database as a file of its own; its address."""
    connection = sqlite3.connect(file)
    connection.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    connection.close()
    return f"sqlite:///{file}"
