"""Proximal policy optimisation by self-play: thousands of games at once, without a search.

The network observes each game as the seat to act. Its policy head chooses every seat's actions; its value
head predicts every seat's share of the win. Advantages are generalised advantage estimates (GAE) along all
decisions of a game, whichever seat takes them, until the game ends. On a GPU, everything stays there.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comptoir.learn.learner import Learner
from comptoir.research import Batch

if TYPE_CHECKING:
    from torch import Tensor
    from torch import dtype as torch_dtype

EPOCHS = 2  # over the decisions of an update
CLIP_RANGE = 0.2
GAE_LAMBDA = 0.985
ENTROPY_START = 0.01  # entropy coefficient, annealed to ENTROPY_END
ENTROPY_END = 0.002
MAX_GRAD_NORM = 0.5


@dataclass(frozen=True)
class RolloutSize:
    """How much is played and learned in one update."""

    games: int  # in parallel
    steps: int  # decisions in each game
    minibatch: int  # decisions


class MixedBatch:
    """Batches for all numbers of players, used as one: one row per game, with columns for all seats."""

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
        self.observations, self.action_masks, self.current_seats, self.terminations, self.rewards = (
            [torch.from_dlpack(getattr(batch, name)) for batch in self.batches]
            for name in ("observations", "action_masks", "current_seats", "terminations", "rewards")
        )
        self._games = [batch.games for batch in self.batches]
        self.games = sum(self._games)
        self.players = torch.cat(
            [
                torch.full((n,), batch.players, dtype=torch.int64, device=self.device)
                for n, batch in zip(self._games, self.batches, strict=True)
            ]
        )
        self._seats = torch.arange(seats, device=self.device)
        self.seated = self._seats < self.players[:, None]

    def step(self, actions: Tensor) -> None:
        for batch, chosen in zip(self.batches, actions.split(self._games), strict=True):
            batch.step(chosen if self.device == "cuda" else chosen.numpy())

    def shares(self) -> Tensor:
        """Each seat's share of the win, in games that have just ended; meaningless in the others."""
        parts = [
            self.torch.nn.functional.pad(
                (rewards * (batch.players - 1) + 1) / batch.players,
                (0, len(self._seats) - batch.players),
            )
            for batch, rewards in zip(self.batches, self.rewards, strict=True)
        ]
        return self.torch.cat(parts)

    def to_absolute(self, values: Tensor, seats: Tensor) -> Tensor:
        """Values by seat, from values relative to the seat to act."""
        places = (self._seats - seats[:, None]) % self.players[:, None]
        return values.gather(1, places) * self.seated

    def to_relative(self, values: Tensor, seats: Tensor) -> Tensor:
        """Values relative to the seat to act, from values by seat."""
        absolute = (seats[:, None] + self._seats) % self.players[:, None]
        return values.gather(1, absolute) * self.seated


class PPO:
    """Self-play of a network, and its updates."""

    def __init__(
        self, learner: Learner, sizes: tuple[int, ...], size: RolloutSize, seed: int, threads: int
    ) -> None:
        torch = self.torch = learner.torch
        self.learner, self.size = learner, size
        self.batch = MixedBatch(learner, sizes, size.games, seed, threads)
        games, steps, game = self.batch.games, size.steps, learner.game

        def buffer(*shape: int, dtype: torch_dtype) -> Tensor:
            return torch.zeros((steps, games, *shape), dtype=dtype, device=learner.device)

        self.rows = buffer(game.observation.size, dtype=torch.uint8)
        self.action_masks = buffer(len(game.actions), dtype=torch.bool)
        self.actions, self.seats = buffer(dtype=torch.int64), buffer(dtype=torch.int64)
        self.log_probs, self.terminations = buffer(dtype=torch.float32), buffer(dtype=torch.bool)
        self.values, self.shares = (buffer(learner.seats, dtype=torch.float32) for _ in range(2))

    def prepare(self) -> None:
        """Take one step of play, so that the kernels are compiled."""
        with self.torch.no_grad():
            self._policy_and_values(
                self.torch.cat(self.batch.observations), self.torch.cat(self.batch.current_seats).long()
            )
            self.batch.step(self.torch.cat([mask.long().argmax(1) for mask in self.batch.action_masks]))

    def update(self, remaining: float) -> tuple[int, int, float]:
        """Collect rollouts and train on them.

        Returns how many games ended, how many decisions were trained on, and the value loss before training.
        """
        with self.torch.no_grad():
            last_values = self.collect_rollouts()
            open_choice = self.action_masks.sum(2) > 1  # forced actions are not trained on
            advantages, value_targets = self.advantages(last_values, open_choice)
            chosen = open_choice.flatten().nonzero().squeeze(1)
        loss = self._train_epochs(chosen, advantages.flatten(), value_targets.flatten(0, 1), remaining)
        return int(self.terminations.sum()), len(chosen), loss

    def collect_rollouts(self) -> Tensor:
        """Play `steps` decisions in every game into the buffers; returns the values after the last."""
        torch, batch = self.torch, self.batch
        for step in range(self.size.steps):
            torch.cat(batch.observations, out=self.rows[step])
            torch.cat(batch.action_masks, out=self.action_masks[step])
            self.seats[step] = torch.cat(batch.current_seats)
            logits, self.values[step] = self._policy_and_values(self.rows[step], self.seats[step])
            logits = logits.masked_fill(~self.action_masks[step], -1e9).log_softmax(1)
            noise = torch.empty_like(logits).exponential_().clamp_min(1e-20)
            actions = (logits - noise.log()).argmax(1)  # Gumbel-max: a sample of the policy
            self.actions[step] = actions
            self.log_probs[step] = logits.gather(1, actions[:, None]).squeeze(1)
            batch.step(actions)
            self.terminations[step], self.shares[step] = torch.cat(batch.terminations), batch.shares()
        return self._policy_and_values(torch.cat(batch.observations), torch.cat(batch.current_seats).long())[
            1
        ]

    def _policy_and_values(self, rows: Tensor, seats: Tensor) -> tuple[Tensor, Tensor]:
        logits, value_logits = self.learner.forward(rows, self.batch.players)
        return logits, self.batch.to_absolute(value_logits.softmax(1), seats)

    def advantages(self, last_values: Tensor, open_choice: Tensor) -> tuple[Tensor, Tensor]:
        """The advantage of each decision for its seat, and value targets relative to the seat to act.

        GAE backwards over the steps, for all seats at once; forced actions are skipped, as if no time passed.
        """
        torch, batch = self.torch, self.batch
        advantages, value_targets = torch.zeros_like(self.log_probs), torch.zeros_like(self.values)
        next_values, gae = last_values, torch.zeros_like(last_values)
        for step in reversed(range(self.size.steps)):
            ended, decided = self.terminations[step][:, None], open_choice[step][:, None]
            seats, values = self.seats[step], self.values[step]
            next_values = torch.where(ended, self.shares[step], next_values)
            gae = torch.where(ended, 0.0, gae)
            gae = torch.where(decided, next_values + GAE_LAMBDA * gae - values, gae)
            next_values = torch.where(decided, values, next_values)
            advantages[step] = gae.gather(1, seats[:, None]).squeeze(1)
            target = batch.to_relative((values + gae).clamp_min(0), seats)
            value_targets[step] = target / target.sum(1, keepdim=True)
        return advantages, value_targets

    def _train_epochs(
        self, chosen: Tensor, advantages: Tensor, value_targets: Tensor, remaining: float
    ) -> float:
        """Train on the chosen decisions; returns the value loss of the first minibatch."""
        torch, learner = self.torch, self.learner
        rows, masks, actions, old_log_probs = (
            buffer.flatten(0, 1) for buffer in (self.rows, self.action_masks, self.actions, self.log_probs)
        )
        players = self.batch.players.repeat(self.size.steps)
        std, mean = advantages[chosen].std() + 1e-6, advantages[chosen].mean()
        entropy_coefficient = ENTROPY_END + (ENTROPY_START - ENTROPY_END) * remaining
        for group in learner.optimizer.param_groups:
            group["lr"] = learner.rate * max(0.02, remaining)
        first_loss = None
        for _ in range(EPOCHS):
            shuffled = chosen[torch.randperm(len(chosen), device=chosen.device)]
            for minibatch in shuffled.split(self.size.minibatch):
                logits, value_logits = learner.forward(rows[minibatch], players[minibatch])
                logits = logits.masked_fill(~masks[minibatch], -1e9).log_softmax(1)
                log_probs = logits.gather(1, actions[minibatch][:, None]).squeeze(1)
                ratio = (log_probs - old_log_probs[minibatch]).exp()
                advantage = (advantages[minibatch] - mean) / std
                clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
                policy_gain = torch.minimum(ratio * advantage, clipped * advantage).mean()
                entropy = -(logits.exp() * logits).sum(1).mean()
                value_loss = -(value_targets[minibatch] * value_logits.log_softmax(1)).sum(1).mean()
                learner.optimizer.zero_grad(set_to_none=True)
                (value_loss - policy_gain - entropy_coefficient * entropy).backward()
                torch.nn.utils.clip_grad_norm_(list(learner.weights.values()), MAX_GRAD_NORM)
                learner.optimizer.step()
                first_loss = value_loss.detach() if first_loss is None else first_loss
        return float(first_loss) if first_loss is not None else 0.0
