"""The process that reads what strangers send: `python -m comptoir.web.live.upload_worker`.

What a question does is done here alone: it can be killed in the middle, and the server has lost nothing.
"""

from __future__ import annotations

import base64
from typing import Any

from comptoir.errors import DataError, MatchFileError
from comptoir.web.domain.match_files import import_match, read_match
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.untrusted import read_components
from comptoir.web.live.subprocess_worker import serve


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What comes of a question: plain data, or what is wrong."""
    content = base64.b64decode(question["content"])
    try:
        if question["do"] == "components":
            return {"components": read_components(question["game"], content)}
        table, events = import_match(read_match(content), question["person"], question["at"])
        return {"row": vars(table.row()), "events": [list(vars(event).values()) for event in events]}
    except Refused as error:
        return {"refused": [error.key, error.values]}
    except DataError as error:
        return {"data": [error.what, error.errors]}
    except MatchFileError as error:
        return {"file": [error.line, error.text[:200], error.reason[:2_000]]}


def main() -> None:
    serve(answer, too_hard={"refused": ["guard.too_hard", {}]})


if __name__ == "__main__":
    main()
