"""What a page costs over the wire: compressed answers, and files that a browser keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from comptoir.engine.words import LANGUAGES
from comptoir.web.http.app import without_comments
from comptoir.web.view.pictures import cover_svg
from comptoir.web.view.templating import STATIC, asset_version
from tests.web.app_harness import AppHarness, in_app


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def test_pages_and_scripts_are_compressed(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for path in (
            "/",
            f"/static/{asset_version()}/table.js",
            f"/static/{asset_version()}/table.css",
            "/covers/lots.svg",
        ):
            answer = await anne.get(path, headers={"Accept-Encoding": "gzip"})
            if answer.status_code == 200:
                assert answer.headers["content-encoding"] == "gzip"
                assert "accept-encoding" in answer.headers["vary"].lower()
        plain = await anne.get("/", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers

    in_app(lite, work)


def test_a_browser_keeps_the_files_of_this_edition_only(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        kept = await anne.get(f"/static/{asset_version()}/base.css")
        assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
        source = (STATIC / "base.css").read_text(encoding="utf-8")
        assert "/*" in source
        assert "/*" not in kept.text
        assert [line for line in kept.text.splitlines() if line not in source.splitlines()] == []
        assert "\nbody {" in kept.text
        for other in ("/static/base.css", "/static/v0123456789ab/base.css"):
            answer = await anne.get(other)
            assert answer.headers["cache-control"] == "no-cache"
            assert answer.text == kept.text
        assert (await anne.get(f"/static/{asset_version()}/nothing.css")).status_code == 404
        assert (await anne.get(f"/static/{asset_version()}/../http/app.py")).status_code == 404

    in_app(lite, work)


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.glob("*.js")))
def test_no_code_goes_with_the_comments(name: str) -> None:
    """What is left out of a script are lines that begin with a comment and hold nothing else."""
    lines = (STATIC / name).read_text(encoding="utf-8").splitlines()
    kept = without_comments(STATIC / name).splitlines()
    code = [line for line in lines if not re.match(r"\s*(/\*\*(?!.*\*/.*\S)|\*)", line)]
    assert kept == code


@pytest.mark.parametrize("lang", LANGUAGES)
def test_covers_hold_only_the_letters_that_they_need(lang: str) -> None:
    whole, small = cover_svg("batavia", lang), cover_svg("batavia", lang, fonts=False)
    assert "font-family:'EB Garamond'" in whole
    assert "font-family:'Inter'" not in whole
    assert "data:font" not in small


def test_the_home_page_can_be_asked_for_its_lists_alone(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        lists = (await anne.get("/", headers={"X-Part": "1"})).text
        assert 'id="lists"' in lists
        assert 'class="cover"' not in lists
        assert lists.strip() in (await anne.get("/")).text

    in_app(lite, work)
