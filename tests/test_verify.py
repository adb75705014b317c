"""comptoir verify: a match that was played by the rules with the promised seed is told from any other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import comptoir
from comptoir.engine.match import Match, seed_hash
from tests.conftest import Run


@pytest.fixture
def match() -> Match:
    match = comptoir.new("batavia", players=3, seed="a-seed-of-the-server")
    for _ in range(12):
        match.play(match.actions()[0])
    return match


def written(path: Path, text: str, hash: str | None = None) -> str:
    """The match as the server writes it: with the hash that it showed."""
    path.write_text(text + (f"\n# seed hash {hash}\n" if hash else ""), encoding="utf-8")
    return str(path)


def test_the_hash_is_what_the_docs_say() -> None:
    assert seed_hash("7") == hashlib.sha256(b"comptoir seed 7").hexdigest()


def test_a_match_as_it_was_played(run: Run, match: Match, tmp_path: Path) -> None:
    file = written(tmp_path / "a.match", match.text(), seed_hash(match.seed))
    status, out, err = run("verify", file)
    assert (status, err) == (0, "")
    assert "12 actions were played, every one of them legal; the match is not over." in out
    assert f"The seed a-seed-of-the-server has the hash {seed_hash(match.seed)}." in out
    assert "the dice were fixed before the first action" in out
    status, out, _ = run("verify", file, "--hash", seed_hash(match.seed).upper(), "--lang", "fr")
    assert status == 0
    assert "12 actions jouées, toutes permises\u202f; la partie n'est pas finie." in out
    assert "le hasard était fixé avant la première action" in out


def test_a_match_without_a_hash_leaves_the_comparing_to_the_reader(
    run: Run, match: Match, tmp_path: Path
) -> None:
    file = written(tmp_path / "a.match", match.text())
    status, out, _ = run("verify", file)
    assert status == 0
    assert "compare it yourself, or give it with --hash" in out
    assert run("verify", file, "--hash", seed_hash(match.seed))[0] == 0


@pytest.mark.parametrize("where", ["file", "flag"])
def test_another_seed_than_the_promised_one_is_found_out(
    run: Run, match: Match, tmp_path: Path, where: str
) -> None:
    """Another seed is another deal, but a first bid is legal with any: only the hash gives it away."""
    other = comptoir.new("batavia", players=3, seed="another", first=0)
    promised = seed_hash("promised")
    file = written(tmp_path / "a.match", other.text(), promised if where == "file" else seed_hash("another"))
    status, out, _ = run("verify", file, *(["--hash", promised] if where == "flag" else []))
    assert status == 1
    assert f"But {promised} was shown at the start: this is not the seed that was promised." in out
    assert "fixed before" not in out


@pytest.mark.parametrize("damaged", ["f00", "zz", "0" * 64])
def test_a_damaged_hash_is_not_taken_for_the_right_one(
    run: Run, match: Match, tmp_path: Path, damaged: str
) -> None:
    assert run("verify", written(tmp_path / "a.match", match.text(), damaged))[0] == 1


def test_an_action_that_was_not_legal_is_found_out(run: Run, match: Match, tmp_path: Path) -> None:
    lines = match.text().splitlines()
    lines[-1] = f"{lines[-1].split()[0]} bid 30"
    file = written(tmp_path / "a.match", "\n".join(lines), seed_hash(match.seed))
    status, out, _ = run("verify", file, "--lang", "fr")
    assert status == 1
    assert f"Cette partie n'a pas pu se jouer ainsi\u202f: line {len(lines)}: " in out
    status, out, _ = run("verify", file, "--json")
    assert status == 1
    told = json.loads(out)
    assert not told["ok"]
    assert told["error"].startswith(f"line {len(lines)}: ")


def test_data_for_machines(run: Run, match: Match, tmp_path: Path) -> None:
    hash = seed_hash(match.seed)
    told = json.loads(run("verify", written(tmp_path / "a.match", match.text(), hash), "--json")[1])
    assert told == {
        "ok": True,
        "game": "batavia",
        "actions": 12,
        "over": False,
        "seed": match.seed,
        "hash": hash,
        "shown": [hash],
    }
    status, out, _ = run("verify", str(tmp_path / "a.match"), "--json", "--hash", "0" * 64)
    assert status == 1
    assert json.loads(out)["shown"] == [hash, "0" * 64]


def test_what_cannot_be_verified_is_said_so(run: Run, match: Match, tmp_path: Path) -> None:
    status, _, err = run("verify", str(tmp_path / "nowhere.match"))
    assert (status, "cannot be read" in err) == (2, True)
    status, _, err = run("verify", written(tmp_path / "a.match", match.text()), "--hash", "xyz")
    assert (status, "expected 64 hexadecimal digits, found 'xyz'" in err) == (2, True)
