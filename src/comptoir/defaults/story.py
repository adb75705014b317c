"""The default story of a game: the actions' own texts.

Actions are known to everyone at the table, so their texts are too.
"""

from __future__ import annotations

from collections.abc import Sequence

from comptoir.defaults.field_table import game_of
from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.recap import ActionStep, Highlight
from comptoir.engine.scene import Scene


def log_lines(before: Scene, action: Action, after: Scene) -> list[str]:
    """Who did what, and the end."""
    words = after.words
    line = words.say("defaults.log", name=before.names[before.position["turn"]], action=words.action(action))
    rule = words.rule(action)
    return [f"{line} [{rule}]" if words.rules and rule else line, *_end(after)]


def recap(steps: Sequence[ActionStep[Scene]]) -> tuple[str, list[Highlight]]:
    """What each seat did, in its order: `Anne: bid 3, pass.`"""
    words = steps[-1].after.words
    deeds: list[tuple[str, list[str]]] = []
    for step in steps:
        name = step.before.names[step.before.position["turn"]]
        if not deeds or deeds[-1][0] != name:
            deeds.append((name, []))
        deeds[-1][1].append(words.action(step.action))
    told = [words.say("defaults.deeds", name=name, deeds=", ".join(done)) for name, done in deeds]
    return f"{'; '.join(told)}.", [Highlight("over", line) for line in _end(steps[-1].after)]


def prompt(scene: Scene) -> str:
    """The seat that decides is asked to."""
    return scene.words.say("defaults.prompt", name=scene.names[scene.position["turn"]])


def choice(scene: Scene, action: Action) -> Choice:
    """An action's own text, grouped by its kind; a number that it is about can be counted up to."""
    said = scene.words.action(action)
    does = game_of(scene).story.effect(scene, action)
    amount = action.operand if len(action.operands) == 1 and isinstance(action.operand, int) else None
    return Choice(said[:1].upper() + said[1:], does, action.kind, amount=amount)


def effect(scene: Scene, action: Action) -> str:
    """What words.toml says that the kind does, if that needs no figures."""
    said = scene.words.texts.get(f"does.{action.kind}", {}).get(scene.words.lang, "")
    return "" if "{" in said else said


def _end(scene: Scene) -> list[str]:
    if scene.position["turn"] is not None:
        return []
    ending = scene.position["ending"]
    known = scene.words.texts.get(f"endings.{ending}")
    return [scene.words.say("defaults.over", ending=known[scene.words.lang] if known else ending)]
