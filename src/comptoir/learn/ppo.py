"""Learning by playing: thousands of games at once, all seats played by the network itself, and no search.

Proximal policy optimisation. The network sees each game with the eyes of the seat that decides, and says how
promising its actions are, and how likely every seat is to win. A decision is judged by what its seat's
chances became: from decision to decision, whoever decides, until the game is over. On a GPU nothing leaves it
on the way.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from comptoir.learn.learner import Learner
from comptoir.research import Batch

EPOCHS = 2  # how often a decision is learned from
CLIP_RANGE = 0.2  # how much likelier one update may make an action
GAE_LAMBDA = 0.985  # how much of what came later counts, for each decision that it came later
ENTROPY_START = 0.01  # what a network gains by not being sure, at first;
ENTROPY_END = 0.002  # and in the end
MAX_GRAD_NORM = 0.5  # of an update


@dataclass(frozen=True)
class RolloutSize:
    """How much is played and learned at a time."""

    games: int  # at once
    steps: int  # decisions in each before an update
    minibatch: int  # decisions learned from at a time


class MixedBatch:
    """Games for every number of players, as if they were one batch. Arrays have a row a game and room for all
    seats.
    """

    def __init__(self, learner: Learner, sizes: tuple[int, ...], games: int, seed: int, threads: int) -> None:
        self.torch, self.device = learner.torch, learner.device
        game, seats = learner.game, learner.seats
        each = max(1, games // len(sizes))
        self.batches = [
            Batch(
                game.name,
                each * sizes.count(players),
                players,
                device=learner.device,
                seed=(seed << 40) + (players << 32),
                threads=threads,
            )
            for players in sorted(set(sizes))
        ]
        torch = self.torch
        self.known, self.masks, self.turns, self.ends, self.rewards = (
            [torch.from_dlpack(getattr(batch, name)) for batch in self.batches]
            for name in ("observations", "masks", "turns", "ends", "rewards")
        )
        many = [batch.games for batch in self.batches]
        self.games = sum(many)
        self._many = many
        self.players = torch.cat(
            [
                torch.full((n,), batch.players, dtype=torch.int64, device=self.device)
                for n, batch in zip(many, self.batches, strict=True)
            ]
        )
        self._seats = torch.arange(seats, device=self.device)
        self.seated = self._seats < self.players[:, None]

    def step(self, actions: Any) -> None:
        for batch, part in zip(self.batches, actions.split(self._many), strict=True):
            batch.step(part if self.device == "cuda" else part.numpy())

    def shares(self) -> Any:
        """The shares of the win, by seat, of the games that have just ended. It says nothing of others."""
        parts = [
            self.torch.nn.functional.pad(
                (rewards * (batch.players - 1) + 1) / batch.players,
                (0, len(self._seats) - batch.players),
            )
            for batch, rewards in zip(self.batches, self.rewards, strict=True)
        ]
        return self.torch.cat(parts)

    def to_absolute(self, figures: Any, turns: Any) -> Any:
        """What is in the order of the seat that decides, by seat."""
        places = (self._seats - turns[:, None]) % self.players[:, None]
        return figures.gather(1, places) * self.seated

    def to_relative(self, figures: Any, turns: Any) -> Any:
        """The other way round."""
        seats = (turns[:, None] + self._seats) % self.players[:, None]
        return figures.gather(1, seats) * self.seated


class PPO:
    """A network that learns by playing with itself."""

    def __init__(
        self, learner: Learner, sizes: tuple[int, ...], size: RolloutSize, seed: int, threads: int
    ) -> None:
        torch = self.torch = learner.torch
        self.learner, self.size = learner, size
        self.tables = MixedBatch(learner, sizes, size.games, seed, threads)
        games, steps, game = self.tables.games, size.steps, learner.game

        def room(*shape: int, kind: Any) -> Any:
            return torch.zeros((steps, games, *shape), dtype=kind, device=learner.device)

        self.rows = room(game.observation.size, kind=torch.uint8)
        self.masks = room(len(game.actions), kind=torch.bool)
        self.actions, self.turns = room(kind=torch.int64), room(kind=torch.int64)
        self.log_probs, self.ends = room(kind=torch.float32), room(kind=torch.bool)
        self.values, self.shares = (room(learner.seats, kind=torch.float32) for _ in range(2))

    def prepare(self) -> None:
        """A few decisions, so that what plays is compiled."""
        with self.torch.no_grad():
            self._policy_and_values(
                self.torch.cat(self.tables.known), self.torch.cat(self.tables.turns).long()
            )
            self.tables.step(self.torch.cat([mask.long().argmax(1) for mask in self.tables.masks]))

    def update(self, remaining: float) -> tuple[int, int, float]:
        """Plays a number of decisions in every game and learns from them. How many games ended, how many
        decisions there were, and how surprised the network is at what came of them.
        """
        with self.torch.no_grad():
            last = self.play()
            open_choice = self.masks.sum(2) > 1  # else there was nothing to decide
            advantages, value_targets = self.judge(last, open_choice)
            chosen = open_choice.flatten().nonzero().squeeze(1)
        loss = self._train_epochs(chosen, advantages.flatten(), value_targets.flatten(0, 1), remaining)
        return int(self.ends.sum()), len(chosen), loss

    def play(self) -> Any:
        """Leaves what was decided, and what was hoped for; returns what is hoped for after the last."""
        torch, tables = self.torch, self.tables
        for step in range(self.size.steps):
            torch.cat(tables.known, out=self.rows[step])
            torch.cat(tables.masks, out=self.masks[step])
            self.turns[step] = torch.cat(tables.turns)
            logits, self.values[step] = self._policy_and_values(self.rows[step], self.turns[step])
            logits = logits.masked_fill(~self.masks[step], -1e9).log_softmax(1)
            chance = torch.empty_like(logits).exponential_().clamp_min(1e-20)
            actions = (logits - chance.log()).argmax(1)  # each as likely as it is promising
            self.actions[step] = actions
            self.log_probs[step] = logits.gather(1, actions[:, None]).squeeze(1)
            tables.step(actions)
            self.ends[step], self.shares[step] = torch.cat(tables.ends), tables.shares()
        return self._policy_and_values(torch.cat(tables.known), torch.cat(tables.turns).long())[1]

    def _policy_and_values(self, rows: Any, turns: Any) -> tuple[Any, Any]:
        logits, chances = self.learner.forward(rows, self.tables.players)
        return logits, self.tables.to_absolute(chances.softmax(1), turns)

    def judge(self, last: Any, open_choice: Any) -> tuple[Any, Any]:
        """How much better each decision turned out for its seat than was hoped; and what to hope for instead,
        in the order of the seat that decides.

        Backwards: `then` is what was hoped for at the next decision, `gain` how much better that turned out.
        """
        torch, tables = self.torch, self.tables
        advantages, value_targets = torch.zeros_like(self.log_probs), torch.zeros_like(self.values)
        then, gain = last, torch.zeros_like(last)
        for step in reversed(range(self.size.steps)):
            ended, decided = self.ends[step][:, None], open_choice[step][:, None]
            turns, hoped = self.turns[step], self.values[step]
            then, gain = torch.where(ended, self.shares[step], then), torch.where(ended, 0.0, gain)
            gain = torch.where(decided, then + GAE_LAMBDA * gain - hoped, gain)
            then = torch.where(decided, hoped, then)
            advantages[step] = gain.gather(1, turns[:, None]).squeeze(1)
            aim = tables.to_relative((hoped + gain).clamp_min(0), turns)
            value_targets[step] = aim / aim.sum(1, keepdim=True)
        return advantages, value_targets

    def _train_epochs(self, chosen: Any, advantages: Any, value_targets: Any, remaining: float) -> float:
        torch, learner = self.torch, self.learner
        rows, masks, actions, likely = (
            kept.flatten(0, 1) for kept in (self.rows, self.masks, self.actions, self.log_probs)
        )
        players = self.tables.players.repeat(self.size.steps)
        spread, middle = advantages[chosen].std() + 1e-6, advantages[chosen].mean()
        curious = ENTROPY_END + (ENTROPY_START - ENTROPY_END) * remaining
        for group in learner.optimizer.param_groups:
            group["lr"] = learner.rate * max(0.02, remaining)
        surprise = None  # before anything is learned from these
        for _ in range(EPOCHS):
            for part in chosen[torch.randperm(len(chosen), device=chosen.device)].split(self.size.minibatch):
                logits, chances = learner.forward(rows[part], players[part])
                logits = logits.masked_fill(~masks[part], -1e9).log_softmax(1)
                ratio = (logits.gather(1, actions[part][:, None]).squeeze(1) - likely[part]).exp()
                worth = (advantages[part] - middle) / spread
                gain = torch.minimum(
                    ratio * worth, ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE) * worth
                ).mean()
                entropy = -(logits.exp() * logits).sum(1).mean()
                value_loss = -(value_targets[part] * chances.log_softmax(1)).sum(1).mean()
                learner.optimizer.zero_grad(set_to_none=True)
                (value_loss - gain - curious * entropy).backward()
                torch.nn.utils.clip_grad_norm_(list(learner.weights.values()), MAX_GRAD_NORM)
                learner.optimizer.step()
                surprise = value_loss.detach() if surprise is None else surprise
        return float(surprise) if surprise is not None else 0.0
