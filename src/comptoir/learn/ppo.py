"""Proximal policy optimisation by self-play: thousands of games at once, without a search.

The policy head observes as the seat to act and chooses every seat's actions. The value head also sees the
other seats' private features, as the search's imagined worlds show them: it is the critic, and predicts every
seat's share of the win. Advantages are generalised advantage estimates (GAE) along all decisions of a game,
whichever seat takes them, until the game ends. On a GPU, everything stays there.

In some games earlier versions of the network play some of the seats, so that learning does not go in circles:
a policy that beats only the last one may lose to those before.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comptoir.learn.learner import ILLEGAL, PolicyValueLearner
from comptoir.research import Batch

if TYPE_CHECKING:
    from torch import Tensor
    from torch import dtype as torch_dtype

EPOCHS = 2  # over the decisions of an update
CLIP_RANGE = 0.2
GAE_LAMBDA = 0.985
ENTROPY_START = 0.01  # entropy coefficient, annealed to ENTROPY_END
ENTROPY_END = 0.002
LEAGUE_PART = 0.2  # of the games: those in which earlier versions play some seats
SNAPSHOT_UPDATES = 50  # between two versions that are kept; doubled whenever there are MAX_SNAPSHOTS
MAX_SNAPSHOTS = 8


@dataclass(frozen=True)
class UpdateStats:
    """What an update did."""

    games: int  # that ended
    decisions: int  # trained on
    value_loss: float  # before training, on decisions not yet trained on
    entropy: float  # of the policy
    league: tuple[
        int, float, float
    ]  # league games that ended: how many, our win share, our share of the seats


@dataclass(frozen=True)
class RolloutSize:
    """How much is played and learned in one update."""

    games: int  # in parallel
    steps: int  # decisions in each game
    minibatch: int  # decisions


class MixedBatch:
    """Batches for all numbers of players, used as one: one row per game, with columns for all seats."""

    def __init__(
        self, learner: PolicyValueLearner, sizes: tuple[int, ...], games: int, seed: int, threads: int
    ) -> None:
        self.torch, self.device = learner.torch, learner.device
        game, seats = learner.game, learner.seats
        each = max(1, games // len(sizes))
        self.batches = [
            Batch(
                game.name,
                each * sizes.count(players),
                players,
                device=learner.device,
                seed=(seed << 40) + (players << 32) + (learner.group.rank << 20),
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
        self._private = torch.as_tensor(game.observation.private_entries.astype(np.int64), device=self.device)
        self._other_rows = [torch.zeros_like(rows) for rows in self.observations]

    def others(self) -> Tensor:
        """The private features of the other seats, in the viewer's order, for the value head."""
        torch, private = self.torch, len(self._private)
        found = torch.zeros(
            (self.games, len(self._seats) - 1, private), dtype=torch.uint8, device=self.device
        )
        if private == 0:
            return found.flatten(1)
        first = 0
        for batch, seats, rows in zip(self.batches, self.current_seats, self._other_rows, strict=True):
            for place in range(1, batch.players):
                other = (seats.long() + place) % batch.players
                batch.observe(on_device(other), out=on_device(rows))
                found[first : first + batch.games, place - 1] = rows[:, self._private]
            first += batch.games
        return found.flatten(1)

    def step(self, actions: Tensor) -> None:
        for batch, chosen in zip(self.batches, actions.split(self._games), strict=True):
            batch.step(on_device(chosen))

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


def on_device(tensor: Tensor) -> Any:
    """A tensor as a batch takes it."""
    return tensor if tensor.is_cuda else tensor.numpy()


class League:
    """Earlier versions of the network, and the seats they play: some in the first games of every batch."""

    def __init__(self, learner: PolicyValueLearner, batch: MixedBatch, seed: int) -> None:
        torch = learner.torch
        self.learner, self.model = learner, deepcopy(learner.model)
        self.snapshots: list[dict[str, Tensor]] = []
        self.spacing, self.updates = SNAPSHOT_UPDATES, 0
        firsts = [int(many.games * LEAGUE_PART) for many in batch.batches]
        starts = [sum(one.games for one in batch.batches[:nth]) for nth in range(len(firsts))]
        rows = [torch.arange(start, start + many) for start, many in zip(starts, firsts, strict=True)]
        self.games = torch.cat(rows).to(learner.device)
        chance = torch.Generator().manual_seed(seed)
        players = batch.players[self.games].cpu()
        order = torch.rand((len(players), learner.seats), generator=chance)
        order[torch.arange(learner.seats) >= players[:, None]] = 2.0  # seats that nobody plays come last
        most = (players[:, None] * torch.rand((len(players), 1), generator=chance)).long()
        earlier = order.argsort(1).argsort(1) < most.clamp_min(1)  # from 1 to all but one
        self.earlier_seats = torch.zeros(
            (batch.games, learner.seats), dtype=torch.bool, device=learner.device
        )
        self.earlier_seats[self.games] = earlier.to(learner.device)
        self.our_seats = ~self.earlier_seats[self.games] & batch.seated[self.games]
        self.even = self.our_seats.sum(1) / batch.players[self.games]

    def next_update(self) -> None:
        """Keep the present version now and then, and choose the earlier one that plays in this update."""
        if self.updates % self.spacing == 0:
            weights = self.learner.model.state_dict()
            self.snapshots.append({name: tensor.clone() for name, tensor in weights.items()})
            if len(self.snapshots) > MAX_SNAPSHOTS:
                self.snapshots, self.spacing = self.snapshots[::2], 2 * self.spacing
        self.model.load_state_dict(self.snapshots[self.updates % len(self.snapshots)])
        self.updates += 1

    def result(self, terminations: Tensor, shares: Tensor) -> tuple[int, float, float]:
        """Of the league games that ended: how many, our share of the wins and of the seats."""
        ended = terminations[:, self.games]
        won = (shares[:, self.games] * self.our_seats).sum(2)[ended]
        even = self.even.expand_as(ended)[ended]
        return (len(won), float(won.mean()), float(even.mean())) if len(won) else (0, 0.0, 0.0)


class PPO:
    """Self-play of a network, and its updates."""

    def __init__(
        self, learner: PolicyValueLearner, sizes: tuple[int, ...], size: RolloutSize, seed: int, threads: int
    ) -> None:
        torch = self.torch = learner.torch
        self.learner, self.size = learner, size
        self.batch = MixedBatch(learner, sizes, size.games, seed, threads)
        self.league = League(learner, self.batch, seed)
        games, steps, game = self.batch.games, size.steps, learner.game

        def buffer(*shape: int, dtype: torch_dtype) -> Tensor:
            return torch.zeros((steps, games, *shape), dtype=dtype, device=learner.device)

        self.rows = buffer(game.observation.size, dtype=torch.uint8)
        self.others = buffer(self.batch.others().shape[1], dtype=torch.uint8)
        self.action_masks = buffer(len(game.actions), dtype=torch.bool)
        self.actions, self.seats = buffer(dtype=torch.int64), buffer(dtype=torch.int64)
        self.ours = buffer(dtype=torch.bool)  # decisions of the present version
        self.log_probs, self.terminations = buffer(dtype=torch.float32), buffer(dtype=torch.bool)
        self.values, self.shares = (buffer(learner.seats, dtype=torch.float32) for _ in range(2))

    def prepare(self) -> None:
        """Take one step of play, so that the kernels are compiled."""
        self.league.next_update()
        with self.torch.no_grad():
            self._policy_and_values(
                self.torch.cat(self.batch.observations),
                self.batch.others(),
                self.torch.cat(self.batch.current_seats).long(),
            )
            self.batch.step(self.torch.cat([mask.long().argmax(1) for mask in self.batch.action_masks]))

    def update(self, remaining: float) -> UpdateStats:
        """Collect rollouts and train on them."""
        self.league.next_update()
        with self.torch.no_grad():
            last_values = self.collect_rollouts()
            open_choice = (self.action_masks.sum(2) > 1) & self.ours  # forced actions are not trained on
            advantages, value_targets = self.advantages(last_values, open_choice)
            chosen = open_choice.flatten().nonzero().squeeze(1)
            league = self.league.result(self.terminations, self.shares)
        value_loss, entropy = self._train_epochs(
            chosen, advantages.flatten(), value_targets.flatten(0, 1), remaining
        )
        return UpdateStats(int(self.terminations.sum()), len(chosen), value_loss, entropy, league)

    def collect_rollouts(self) -> Tensor:
        """Play `steps` decisions in every game into the buffers; returns the values after the last."""
        torch, batch, league = self.torch, self.batch, self.league
        for step in range(self.size.steps):
            torch.cat(batch.observations, out=self.rows[step])
            torch.cat(batch.action_masks, out=self.action_masks[step])
            self.others[step] = batch.others()
            self.seats[step] = torch.cat(batch.current_seats)
            logits, self.values[step] = self._policy_and_values(
                self.rows[step], self.others[step], self.seats[step]
            )
            self.ours[step] = ~league.earlier_seats.gather(1, self.seats[step][:, None]).squeeze(1)
            logits = self._with_earlier_versions(logits, step)
            logits = logits.masked_fill(~self.action_masks[step], ILLEGAL).log_softmax(1)
            noise = torch.empty_like(logits).exponential_().clamp_min(1e-20)
            actions = (logits - noise.log()).argmax(1)  # Gumbel-max: a sample of the policy
            self.actions[step] = actions
            self.log_probs[step] = logits.gather(1, actions[:, None]).squeeze(1)
            batch.step(actions)
            self.terminations[step], self.shares[step] = torch.cat(batch.terminations), batch.shares()
        rows, seats = torch.cat(batch.observations), torch.cat(batch.current_seats).long()
        return self._policy_and_values(rows, batch.others(), seats)[1]

    def _with_earlier_versions(self, logits: Tensor, step: int) -> Tensor:
        """The logits, with those of the earlier version where one of its seats decides."""
        games = self.league.games
        earlier, _ = self.league.model(
            self.rows[step][games], self.others[step][games], self.batch.players[games]
        )
        logits[games] = self.torch.where(self.ours[step][games][:, None], logits[games], earlier)
        return logits

    def _policy_and_values(self, rows: Tensor, others: Tensor, seats: Tensor) -> tuple[Tensor, Tensor]:
        logits, value_logits = self.learner.model(rows, others, self.batch.players)
        return logits, self.batch.to_absolute(value_logits.softmax(1), seats)

    def advantages(self, last_values: Tensor, open_choice: Tensor) -> tuple[Tensor, Tensor]:
        """The advantage of each decision for its seat, and value targets relative to the seat to act.

        GAE backwards over the steps, for all seats at once; forced actions and decisions of earlier versions
        are skipped, as if no time passed.
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
    ) -> tuple[float, float]:
        """Train on the chosen decisions; returns the value loss and entropy of the first minibatch.

        All processes take the same number of steps: that of the one with the fewest decisions.
        """
        torch, learner = self.torch, self.learner
        rows, others, masks, actions, old_log_probs = (
            buffer.flatten(0, 1)
            for buffer in (self.rows, self.others, self.action_masks, self.actions, self.log_probs)
        )
        players = self.batch.players.repeat(self.size.steps)
        std, mean = advantages[chosen].std() + 1e-6, advantages[chosen].mean()
        entropy_coefficient = ENTROPY_END + (ENTROPY_START - ENTROPY_END) * remaining
        learner.set_rate(remaining)
        first, decisions = None, learner.group.least(len(chosen))
        for _ in range(EPOCHS):
            shuffled = chosen[torch.randperm(len(chosen), device=chosen.device)][:decisions]
            for minibatch in shuffled.split(self.size.minibatch):
                logits, value_logits = learner.training_model(
                    rows[minibatch], others[minibatch], players[minibatch]
                )
                logits = logits.masked_fill(~masks[minibatch], ILLEGAL).log_softmax(1)
                log_probs = logits.gather(1, actions[minibatch][:, None]).squeeze(1)
                ratio = (log_probs - old_log_probs[minibatch]).exp()
                advantage = (advantages[minibatch] - mean) / std
                clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
                policy_gain = torch.minimum(ratio * advantage, clipped * advantage).mean()
                entropy = -(logits.exp() * logits).sum(1).mean()
                value_loss = -(value_targets[minibatch] * value_logits.log_softmax(1)).sum(1).mean()
                learner.take_step(value_loss - policy_gain - entropy_coefficient * entropy)
                first = first or (value_loss.detach(), entropy.detach())
        return (float(first[0]), float(first[1])) if first else (0.0, 0.0)
