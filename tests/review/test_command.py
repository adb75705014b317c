"""comptoir review: a report, JSON, a page; and what is said when it cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import comptoir
from comptoir.cli import main
from comptoir.review import serialize
from tests.review.sample_matches import QUICK, last_turns


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "game.match"
    last_turns("century", 16).save(path)
    return str(path)


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "Where the match turned"), ("fr", "Où la partie a basculé")]
)
def test_it_reports_in_the_users_language(
    saved: str, lang: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", saved, "--level", QUICK, "--lang", lang]) == 0
    assert said in capsys.readouterr().out


def test_programs_get_all_of_it(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", saved, "--level", QUICK, "--json", "--lang", "en"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {len(said["players"]), len(said["chances"][0])} == {said["review"]["players"]}
    assert serialize.read(json.dumps(said["review"])).done


def test_a_page_stands_alone_and_a_review_is_gone_on_with(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    html, kept = tmp_path / "review.html", tmp_path / "game.review"
    arguments = ["review", saved, "--level", QUICK, "--html", str(html), "--save", str(kept), "--lang", "fr"]
    assert main(arguments) == 0
    assert '<html lang="fr">' in html.read_text(encoding="utf-8")
    made, report = kept.read_text(encoding="utf-8"), capsys.readouterr().out
    assert serialize.read(made).done
    assert main(arguments) == 0
    assert (kept.read_text(encoding="utf-8"), capsys.readouterr().out) == (made, report)


def test_one_seats_turns(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", saved, "--level", QUICK, "--seat", "0", "--lang", "en"]) == 0
    _, _, moments = capsys.readouterr().out.partition("Costly turns")
    assert "Bruno: " not in moments


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seat", "9"], "there is no seat 9"),
        (["--level", "clerk"], "does not search"),
        (["--level", "nobody"], "there is no bot"),
        (["--html", "/nowhere/at/all.html"], "cannot be written"),
        (["--save", "."], "cannot be written"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(
    saved: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", saved, *arguments, "--lang", "en"]) == 2
    assert said in capsys.readouterr().err


def test_files_that_are_no_matches_or_no_reviews(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    running = tmp_path / "running.match"
    comptoir.new("century", seed=1).save(running)
    assert main(["review", str(running), "--lang", "en"]) == 2
    assert "only a finished match" in capsys.readouterr().err
    assert main(["review", str(tmp_path / "none.match"), "--lang", "en"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    for content in (b"[]", b"\xff\xfe"):
        kept = tmp_path / "kept.review"
        kept.write_bytes(content)
        assert main(["review", saved, "--save", str(kept), "--lang", "en"]) == 2
        assert "the review" in capsys.readouterr().err
        assert kept.read_bytes() == content, "nothing is written over"


def test_names_of_a_file_send_no_escape_codes(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(saved).read_text(encoding="utf-8")
    odd = "\x1b]8;;http://evil.example\x1b\\\u202e\x9b2J\u200d\u2066"
    hostile = tmp_path / "hostile.match"
    hostile.write_text(
        re.sub(r"^(seat \d+ )", lambda found: found[1] + odd, text, flags=re.M), encoding="utf-8"
    )
    for more in ([], ["--json"]):
        assert main(["review", str(hostile), "--level", QUICK, "--lang", "en", *more]) == 0
        shown = capsys.readouterr().out
        assert "8;;http://evil.example" in shown
        assert not re.search("[\x1b\x7f-\x9f\u200d\u202e\u2066]", shown)
