"""Train a network by self-play with PPO; on a GPU, nothing leaves the device.

python examples/selfplay.py marco_polo --players 2 --device cuda      on an NVIDIA GPU
python examples/selfplay.py marco_polo --players 2 --games 256        on a CPU, to try it out

It needs PyTorch. One network plays all seats and observes each game as the seat to act. The advantage of a
decision is what its own seat comes to: the reward at the end, and until then the network's value when that
seat acts again.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch
from torch import nn

from comptoir.research import Batch

EPOCHS, MINIBATCHES, CLIP_RANGE, ENTROPY_COEF, GAE_LAMBDA = 3, 8, 0.2, 0.01, 0.95


class Network(nn.Module):  # type: ignore[misc] # PyTorch may not be there when types are checked
    """Two layers, then a policy head and a value head."""

    def __init__(self, batch: Batch, high: Any, wide: int = 256) -> None:
        super().__init__()
        self.high = high
        self.body = nn.Sequential(
            nn.Linear(batch.layout.size, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(wide, len(batch.game.actions)), nn.Linear(wide, 1)

    def forward(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        hidden = self.body(observations / self.high)
        policy = torch.distributions.Categorical(
            logits=self.policy(hidden).masked_fill(~masks, -1e9), validate_args=False
        )
        return policy, self.value(hidden).squeeze(-1)


class Outputs:
    """The arrays of a batch as tensors, on a GPU and on a CPU, without a copy."""

    def __init__(self, batch: Batch) -> None:
        self.observations, self.masks, self.seats, self.rewards, self.terminations = (
            torch.from_dlpack(array)
            for array in (
                batch.observations,
                batch.action_masks,
                batch.current_seats,
                batch.rewards,
                batch.terminations,
            )
        )


def collect_rollouts(batch: Batch, now: Outputs, network: Network, steps: int) -> dict[str, Any]:
    """Play `steps` decisions in every game; the arrays have a row per step and a column per game."""
    names = ("observations", "masks", "seats", "actions", "log_probs", "values", "rewards", "terminations")
    buffers: dict[str, list[Any]] = {name: [] for name in names}
    for _ in range(steps):
        buffers["observations"].append(now.observations.clone())
        buffers["masks"].append(now.masks.clone())
        buffers["seats"].append(now.seats.long())
        with torch.no_grad():
            policy, values = network(now.observations, now.masks)
            actions = policy.sample()
        buffers["actions"].append(actions)
        buffers["log_probs"].append(policy.log_prob(actions))
        buffers["values"].append(values)
        batch.step(actions)
        buffers["rewards"].append(now.rewards.clone())
        buffers["terminations"].append(now.terminations.clone())
    return {name: torch.stack(rows) for name, rows in buffers.items()}


def advantages_of(rollouts: dict[str, Any], players: int) -> tuple[Any, Any]:
    """The advantage of each decision (GAE), and whether it is known.

    Computed backwards for each seat: `next_value` and `gae` are those of its next decision. What follows the
    last decision of a seat is not known, so that decision does not count (`known`).
    """
    steps, games = rollouts["seats"].shape
    rows = torch.arange(games, device=rollouts["seats"].device)
    next_value = torch.zeros(games, players, device=rows.device)
    gae, seat_known = torch.zeros_like(next_value), torch.zeros_like(next_value, dtype=torch.bool)
    advantages, known = torch.zeros_like(rollouts["values"]), torch.zeros_like(rollouts["terminations"])
    for step in reversed(range(steps)):
        ended = rollouts["terminations"][step][:, None]
        next_value = torch.where(ended, rollouts["rewards"][step], next_value)
        gae, seat_known = torch.where(ended, torch.zeros_like(gae), gae), seat_known | ended
        seat, value = rollouts["seats"][step], rollouts["values"][step]
        delta = next_value[rows, seat] - value
        known[step] = seat_known[rows, seat]
        advantages[step] = torch.where(known[step], delta + GAE_LAMBDA * gae[rows, seat], 0.0)
        next_value[rows, seat], gae[rows, seat], seat_known[rows, seat] = value, advantages[step], True
    return advantages, known


def train_epochs(network: Network, optimizer: Any, rollouts: dict[str, Any], players: int) -> None:
    advantages, known = advantages_of(rollouts, players)
    chosen = known.flatten().nonzero().squeeze(-1)
    names = ("observations", "masks", "actions", "log_probs", "values")
    rows = {name: rollouts[name].flatten(0, 1)[chosen] for name in names}
    advantages = advantages.flatten()[chosen]
    value_targets = rows["values"] + advantages
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    for _ in range(EPOCHS):
        for minibatch in torch.randperm(len(chosen), device=chosen.device).chunk(MINIBATCHES):
            policy, values = network(rows["observations"][minibatch], rows["masks"][minibatch])
            ratio = (policy.log_prob(rows["actions"][minibatch]) - rows["log_probs"][minibatch]).exp()
            clipped = ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE)
            advantage = advantages[minibatch]
            policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
            value_loss = (values - value_targets[minibatch]).square().mean()
            loss = policy_loss + 0.5 * value_loss - ENTROPY_COEF * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def win_share(name: str, players: int, network: Network, device: str, games: int = 400) -> float:
    """Against clerks, who play on the CPU; a tie is half a win."""
    batch = Batch(name, games, players, seed=10**6, bots="clerk", rotate_seats=True)
    now, won, over = Outputs(batch), 0.0, torch.zeros(games, dtype=torch.bool)
    while not over.all():
        with torch.no_grad():
            policy, _ = network(now.observations.to(device), now.masks.to(device))
        batch.step(policy.logits.argmax(-1).cpu().numpy())
        first = now.terminations & ~over  # only the first game of each row counts
        mine = now.rewards[torch.arange(games), torch.from_numpy(batch.last_seats).long()]
        won += ((mine[first] * (players - 1) + 1) / players).sum().item()
        over |= first
    return won / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--players", type=int)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--games", type=int, default=16_384)
    parser.add_argument("--steps", type=int, default=128, help="decisions in each game before an update")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--every", type=int, default=20, help="updates between evaluations against the clerk")
    given = parser.parse_args()
    batch = Batch(given.game, given.games, given.players, device=given.device, seed=1)
    now, high = Outputs(batch), torch.from_numpy(batch.layout.high).to(given.device).float()
    network = Network(batch, high).to(given.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    started = time.perf_counter()
    for update in range(1, given.updates + 1):
        rollouts = collect_rollouts(batch, now, network, given.steps)
        train_epochs(network, optimizer, rollouts, batch.players)
        if update % given.every == 0:
            batch.check()
            decisions, spent = update * given.steps * given.games, time.perf_counter() - started
            share = win_share(given.game, batch.players, network, given.device)
            print(
                f"{decisions:>13,} decisions, {spent:5.0f} s: {share:.1%} of the wins against clerks",
                flush=True,
            )


if __name__ == "__main__":
    main()
