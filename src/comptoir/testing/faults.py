"""What a check reports: one sentence that says what is wrong, where, and how to see it again."""

from __future__ import annotations

from comptoir.engine.game import get_game
from comptoir.engine.plain import OptionValue
from comptoir.engine.rule import Position
from comptoir.engine.words import Words, words_of
from comptoir.errors import ComptoirError

ROOM = "testing"  # whose words.toml has a sentence for each promise


class BrokenPromise(ComptoirError, AssertionError):
    """A game breaks a promise.

    `promise` is its name, `words.toml` has its sentence. What else is known is None where it means nothing:
    the match's `seed`, the number of the `decision`, the `viewer` (-1: a spectator), and as records, to be
    looked at, the true `position` and the `world` that the viewer imagined (or that came of compiled rules).
    """

    def __init__(
        self,
        game: str,
        promise: str,
        *,
        options: dict[str, OptionValue] | None = None,
        seed: int | None = None,
        decision: int | None = None,
        viewer: int | None = None,
        position: Position | None = None,
        world: Position | None = None,
        more: str = "",
    ) -> None:
        self.game, self.promise, self.options, self.more = game, promise, options or {}, more
        self.seed, self.decision, self.viewer = seed, decision, viewer
        self.position = None if position is None else get_game(game).copy(position)
        self.world = None if world is None else get_game(game).copy(world)
        super().__init__(self.sentence(words_of(None, "en", packages=(ROOM,))))

    @property
    def again(self) -> str:
        """The command that comes to the same place."""
        parts = ["comptoir check", self.game]
        parts += [f"--players {self.options['players']}"] if "players" in self.options else []
        parts += [f"--seed {self.seed} --matches 1"] if self.seed is not None else []
        return " ".join(parts)

    def sentence(self, words: Words) -> str:
        """What is wrong, where, and how to see it again."""
        where = [f"{name}: {value}" for name, value in self.options.items()]
        for name in ("seed", "decision", "viewer"):
            value = getattr(self, name)
            if name == "viewer" and value == -1:
                where.append(words.say("check.at_spectator"))
            elif value is not None:
                where.append(words.say(f"check.at_{name}", n=str(value)))
        return words.say(
            "check.broken",
            game=self.game,
            promise=words.say(f"promises.{self.promise}"),
            more=f": {self.more}" if self.more else "",
            where=f" ({', '.join(where)})" if where else "",
            again=self.again,
        )
