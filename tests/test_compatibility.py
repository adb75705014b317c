"""What docs/compatibility.md promises, held against files that older versions have written (tests/stored).

python -m tests.test_compatibility     adds what this version promises; what is there is never changed
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from comptoir.bots.external import PROTOCOL
from comptoir.engine import matchfile, registry
from comptoir.engine.game import get_game
from comptoir.engine.match import Match
from comptoir.errors import MatchFileError
from comptoir.web.http.api import router

STORED = Path(__file__).with_name("stored")
PROMISES = STORED / "promises.json"


def promised() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PROMISES.read_text(encoding="utf-8"))
    return found


def numbers(name: str) -> dict[str, Any]:
    """A game's actions and observations, in a few words that change with any of them."""
    game = get_game(name)
    pieces = [(piece.name, piece.size) for piece in game.observation.pieces]
    return {
        "actions": len(game.actions),
        "actions_hash": _hash(game.actions),
        "observation": game.observation.size,
        "observation_hash": _hash(pieces),
    }


def _hash(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]


def api() -> dict[str, list[str]]:
    """The keys of every answer of /api, and of what it is asked."""
    from fastapi import FastAPI

    app = FastAPI()
    app.include_router(router)
    described = app.openapi()
    kinds = described["components"]["schemas"]
    found = {name: sorted(kind.get("properties", ())) for name, kind in kinds.items()}
    return found | {"paths": sorted(described["paths"])}


@pytest.mark.parametrize("name", promised()["games"])
def test_action_numbers_and_observations_belong_to_the_version_of_the_rules(name: str) -> None:
    """If this fails, raise the game's VERSION; then write down what the new one promises."""
    kept = promised()["games"][name]
    version = str(get_game(name).version)
    assert version in kept, "python -m tests.test_compatibility writes down what a new version promises"
    assert numbers(name) == kept[version]


def test_keys_of_the_api_stay() -> None:
    now = api()
    for kind, keys in promised()["api"].items():
        assert set(keys) <= set(now[kind]), kind


def test_keys_of_a_view_and_of_the_protocol_stay() -> None:
    kept = promised()["protocol"][str(PROTOCOL)]
    for name in registry.names():
        assert set(kept["view"]) <= set(Match(name, seed=1).view(0))


@pytest.mark.parametrize("file", sorted(STORED.glob("*.match")), ids=lambda file: file.stem)
def test_match_files_of_all_forms_are_read(file: Path) -> None:
    """With their notes as comments, as they once were, or in the header."""
    match = matchfile.load(file)
    assert match.ply == 3
    assert match.notes == {
        "table": "person, captain, clerk",
        "seed_hash": "ff3ee5b0d4c7a4a5ae3b3b4cd84ea0a1b2a52cc4a3bcb8d0d1c1f07cd3c0e0f1",
    }
    again = matchfile.parse(match.text())
    assert (again.notes, again.played, again.position()) == (match.notes, match.played, match.position())


def test_a_match_file_of_other_rules_is_refused_with_both_versions() -> None:
    text = next(STORED.glob("*.match")).read_text(encoding="utf-8").replace("rules      1", "rules      0")
    with pytest.raises(MatchFileError, match=r"version 0 of the rules .* plays version 1"):
        matchfile.parse(text)


def main() -> None:
    kept = promised()
    for name in registry.names():
        kept["games"].setdefault(name, {}).setdefault(str(get_game(name).version), numbers(name))
    for kind, keys in api().items():
        kept["api"][kind] = sorted({*kept["api"].get(kind, ()), *keys})
    view = sorted(Match("batavia", seed=1).view(0))
    kept["protocol"].setdefault(str(PROTOCOL), {"view": view})
    PROMISES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
