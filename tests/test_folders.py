"""Where things are kept: the system's folders, unless the environment says otherwise."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from comptoir import folders


def test_without_a_word_the_system_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMPTOIR_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert folders.data() == Path(platformdirs.user_data_dir()) / "comptoir"
    assert folders.cache().is_relative_to(Path(platformdirs.user_cache_dir()) / "comptoir")


def test_the_environment_goes_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COMPTOIR_CACHE", raising=False)
    assert folders.data() == tmp_path / "data/comptoir"
    assert folders.cache() == tmp_path / "cache/comptoir"
    monkeypatch.setenv("COMPTOIR_CACHE", str(tmp_path / "ours"))
    assert folders.cache() == tmp_path / "ours"
