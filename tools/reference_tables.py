"""Writes the tables of actions and observations out of the code.

    python tools/reference_tables.py      writes docs/research/actions.md and docs/research/observations.md

A test compares them with what the code says now.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from comptoir.engine import registry
from comptoir.engine.game import Game, get_game
from comptoir.engine.rulebook import rules_of
from comptoir.engine.words import words_of

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs/research"


def main() -> None:
    for name, text in pages().items():
        (OUT / name).write_text(text, encoding="utf-8")
        print(OUT / name)


def pages() -> dict[str, str]:
    """The pages by the names of their files."""
    all_games = [get_game(name) for name in registry.names()]
    return {
        "actions.md": ACTIONS + "".join(actions_of(g) for g in all_games),
        "observations.md": OBSERVATIONS + "".join(observations_of(g) for g in all_games),
    }


def title(g: Game) -> str:
    return words_of(g.name, "en").say("game.title")


def rules_link(g: Game) -> str:
    return f"[rules](../../src/comptoir/games/{g.name}/rules.en.md)"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


# Actions


def actions_of(g: Game) -> str:
    rows = [
        (span(first, last), said(g, first, last), ", ".join(rules_for(g, first))) for first, last in runs(g)
    ]
    head = f"\n## {title(g)}\n\n`{g.name}`, version {g.version} of the rules, {len(g.actions)} actions; {rules_link(g)}.\n\n"
    return head + table(("numbers", "actions", "rules"), rows)


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def runs(g: Game) -> Iterator[tuple[int, int]]:
    """The first and last of actions that belong together: the same verb with other words, or with numbers
    that count up.
    """
    first = 0
    while first < len(g.actions):
        last = first
        while last + 1 < len(g.actions) and goes_on(g, last):
            last += 1
        yield first, last
        first = last + 1


def goes_on(g: Game, action: int) -> bool:
    """Whether the next action belongs to the same run."""
    (verb, form, numbers), (next_verb, next_form, next_numbers) = parts(g, action), parts(g, action + 1)
    steps = [b - a for a, b in zip(numbers, next_numbers, strict=False)]
    return (verb, form) == (next_verb, next_form) and all(step in (0, 1) for step in steps)


def parts(g: Game, action: int) -> tuple[str, str, list[int]]:
    """An action's verb; of what follows it the numbers, and what is between them."""
    verb = g.decode(action).kind
    rest = g.actions[action].removeprefix(verb)
    numbers = re.findall(r"\d+", rest)
    return verb, re.sub(r"\d+", "#", rest) if numbers else "", [int(number) for number in numbers]


def said(g: Game, first: int, last: int) -> str:
    """Counted ones by the first and the last, others one by one."""
    verb, form, _ = parts(g, first)
    if first == last:
        return f"`{g.actions[first]}`"
    if form:
        return f"`{g.actions[first]}` to `{g.actions[last]}`"
    operands = (g.actions[action].removeprefix(verb).strip() for action in range(first, last + 1))
    return f"`{verb}` with " + ", ".join(operands)


def rules_for(g: Game, action: int) -> list[str]:
    """The rules whose text shows the verb as something to type."""
    verb = parts(g, action)[0]
    return [name for name, rule in rules_of(g.name, "en").items() if re.search(rf"`{verb}[ `]", rule.text)]


# Observations


def observations_of(g: Game) -> str:
    layout = g.observation
    rows = [
        (
            f"`{piece.name}`",
            " × ".join(map(str, piece.shape)) or "1",
            " × ".join(axis_name(g, axis) for axis in piece.axes) or "–",
            str(piece.high),
            f"{layout.slices[piece.name].start}:{layout.slices[piece.name].stop}",
            piece.description,
        )
        for piece in layout.pieces
    ]
    head = f"\n## {title(g)}\n\n`{g.name}`, version {g.version} of the rules, {layout.size} entries; {rules_link(g)}.\n\n"
    columns = ("piece", "shape", "along", "high", "entries", "what it says")
    return (
        head
        + table(columns, rows)
        + "\n"
        + "".join(f"- *{name}*: {words}\n" for name, words in axes_of(g).items())
    )


def axis_name(g: Game, axis: tuple[str, ...]) -> str:
    """What lies along an axis, by the name that the game's code gives to the list."""
    lists = vars(importlib.import_module(f"comptoir.games.{g.name}.observation"))
    return next(name for name, value in lists.items() if value == axis).strip("_").lower().replace("_", " ")


def axes_of(g: Game) -> dict[str, str]:
    """Every axis once, with its words."""
    return {axis_name(g, axis): ", ".join(axis) for piece in g.observation.pieces for axis in piece.axes}


ACTIONS = """# Actions

Generated by `tools/reference_tables.py` from the code.

An action is a number and a text: `game.actions[number]` and `game.action_index(text)`. The numbers are the same for every number of
players and all options. A turn is several actions: a card laid, a step sailed, a cube paid are one each, so that there are few of
them, and a mask says exactly which are legal. `Batch.action_masks`, and the masks of the other interfaces, have one entry for each number.

```python
from comptoir.engine.game import get_game

century = get_game("century")
assert century.actions[28] == "pay yellow"
assert century.action_index("pay yellow") == 28
```

In the tables, "`lay` with england, denmark" stands for `lay england` and `lay denmark`, in that order; "`bid 1` to `bid 75`" counts
up, and where there are two numbers, both count up or one stays. The last column names the rules that say when.
"""

OBSERVATIONS = """# Observations

Generated by `tools/reference_tables.py` from the code.

An observation is a row of bytes (`uint8`): everything a seat may know, in named pieces, one after the
other. One rule per game writes it, `observe`, with identical results interpreted and compiled. It contains
nothing that the seat may not know: a test re-deals the hidden information and finds every piece unchanged.
It also includes what everyone could remember, so that no agent needs a memory: which cards of a hand were
acquired openly (`seen`), and which may still be in the pile (`unseen`).

```python
import numpy as np
from comptoir.research import Batch

batch = Batch("batavia", games=2, players=4)
layout = batch.layout  # also: comptoir.engine.game.get_game("batavia").observation
pieces = layout.split(batch.observations)  # views by name, nothing is copied
assert pieces["bills"].shape == (2, 5)  # games × seats
assert pieces["bills"][0].tolist() == [15, 15, 15, 15, 0]
assert layout.label(layout.slices["hand"].start + 1) == "hand[denmark]"
scaled = batch.observations / layout.high.astype(np.float32)  # all between 0 and 1
assert scaled.max() <= 1
```

How to read the tables:

- **Seats** are in the viewer's order: itself first, then those that follow it clockwise. There is room for as many as the game can
  have; the entries of seats that do not play are 0. `plays` says which do.
- **shape** and **along**: a piece of shape 5 × 7 along companies × goods has a number for every company with every good, the last
  axis running fastest. The lists below each table give the words along each axis, in order.
- **high**: no entry is above it, with any component file that the game accepts. What could be larger than 255 stops there, and the
  text says so. `layout.high` has it for every entry.
- Pieces with high 1 are yes or no. Along seats, phases, spaces and the like they have a 1 where it applies: none, one or several.
- **entries** are the slice of the row.
- A letter with a number (B17) names a rule.
- `phase`, `decides`, `plays` and `first` are in every game. Whatever changes in a position shows in the row, but for other hands.
- A seat that waits can be shown the same row: `decides` says whose decision it is, and what is said of a turn or an action is said
  of that seat's.

What is printed on the components is not in the row: what a market tile trades, what a space demands, what a victory point tile
costs. It is the same in every game with the same component file, so a network learns it with the rest; with other component files
it learns another game. Nor is the past, but for what the pieces say of it.
"""

if __name__ == "__main__":
    main()
