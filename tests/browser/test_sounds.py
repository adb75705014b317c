"""Sounds are off until somebody wants them; then one's turn has one of its own."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.player import Player, make_table

pytestmark = pytest.mark.browser

# An instrument that notes what it was to play.
INSTRUMENT = """() => {
  window.notes = [];
  class Part {
    constructor() {
      const change = () => undefined;
      this.gain = { setValueAtTime: change, linearRampToValueAtTime: change, exponentialRampToValueAtTime: change };
      this.frequency = { value: 0 };
    }
    connect(next) { return next; }
    start() { window.notes.push(this.frequency.value); }
    stop() {}
  }
  window.AudioContext = class {
    currentTime = 0;
    destination = new Part();
    async resume() {}
    createOscillator() { return new Part(); }
    createGain() { return new Part(); }
  };
}"""
TURN = [659.3, 987.8]


def test_a_sound_for_ones_turn_if_one_wants_it(arrive: Arrive) -> None:
    page = arrive("en")
    page.add_init_script(f"({INSTRUMENT})()")
    make_table(page, "marco_polo", players=2)
    player = Player(page, seed=1)
    player.wait("mine")
    player.play()
    player.wait("mine")
    assert page.evaluate("notes") == []
    page.click("#menu summary")
    expect(page.locator("#sound")).not_to_be_checked()
    page.check("#sound")
    assert page.evaluate("notes") == TURN  # so that one knows how loud it is
    page.click("#menu summary")
    version = player.version
    for _ in range(20):
        if page.evaluate("notes").count(TURN[0]) > 1:
            break
        player.play()
        player.wait("mine")
    assert player.version > version
    assert page.evaluate("notes").count(TURN[0]) > 1
    page.reload()
    player.wait("mine")
    expect(page.locator("#sound")).to_be_checked()
    assert page.evaluate("notes") == []  # whoever comes to the table is not rung for
