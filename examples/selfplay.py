"""A network learns a game against itself, and nothing leaves the device on the way.

python examples/selfplay.py marco_polo --players 2 --device cuda      on an NVIDIA GPU
python examples/selfplay.py marco_polo --players 2 --games 256        on a CPU, to try it out

It needs PyTorch. Proximal policy optimisation: all seats are played by one network, which sees each game
from the chair of the seat that decides. Every decision is judged by what its own seat comes to: by the reward
at the end, and until then by what the network hopes for when that seat decides again.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch
from torch import nn

from comptoir.research import Batch

EPOCHS, PARTS, CLIP, CURIOUS, TRACE = 3, 8, 0.2, 0.01, 0.95


class Network(nn.Module):  # type: ignore[misc] # PyTorch may not be there when types are checked
    """Two layers; then a number for each action, and how much of the win the seat hopes for."""

    def __init__(self, batch: Batch, high: Any, wide: int = 256) -> None:
        super().__init__()
        self.high = high
        self.body = nn.Sequential(
            nn.Linear(batch.layout.size, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU()
        )
        self.policy, self.hope = nn.Linear(wide, len(batch.game.actions)), nn.Linear(wide, 1)

    def forward(self, known: Any, masks: Any) -> tuple[Any, Any]:
        said = self.body(known / self.high)
        chances = torch.distributions.Categorical(
            logits=self.policy(said).masked_fill(~masks, -1e9), validate_args=False
        )
        return chances, self.hope(said).squeeze(-1)


class Arrays:
    """What a batch shows, as tensors: on a GPU and on a CPU, without a copy."""

    def __init__(self, batch: Batch) -> None:
        self.known, self.masks, self.turns, self.rewards, self.ends = (
            torch.from_dlpack(getattr(batch, name))
            for name in ("observations", "masks", "turns", "rewards", "ends")
        )


def play(batch: Batch, now: Arrays, network: Network, steps: int) -> dict[str, Any]:
    """Decisions in every game, and what was hoped for and came of each."""
    kept: dict[str, list[Any]] = {
        name: [] for name in ("known", "masks", "turns", "actions", "likely", "hopes", "rewards", "ends")
    }
    for _ in range(steps):
        kept["known"].append(now.known.clone())
        kept["masks"].append(now.masks.clone())
        kept["turns"].append(now.turns.long())
        with torch.no_grad():
            chances, hopes = network(now.known, now.masks)
            actions = chances.sample()
        kept["actions"].append(actions)
        kept["likely"].append(chances.log_prob(actions))
        kept["hopes"].append(hopes)
        batch.step(actions)
        kept["rewards"].append(now.rewards.clone())
        kept["ends"].append(now.ends.clone())
    return {name: torch.stack(rows) for name, rows in kept.items()}


def evaluate(kept: dict[str, Any], players: int) -> tuple[Any, Any]:
    """How much better each decision turned out than was hoped, and what to hope for instead.

    Backwards, seat by seat: `hope` and `better` are those of each seat's next decision. What lies beyond the
    last one that was played is not known: those decisions count for nothing (`sure`).
    """
    steps, games = kept["turns"].shape
    rows = torch.arange(games, device=kept["turns"].device)
    hope = torch.zeros(games, players, device=rows.device)
    better, sure = torch.zeros_like(hope), torch.zeros_like(hope, dtype=torch.bool)
    advantages, known = torch.zeros_like(kept["hopes"]), torch.zeros_like(kept["ends"])
    for step in reversed(range(steps)):
        ended = kept["ends"][step][:, None]
        hope = torch.where(ended, kept["rewards"][step], hope)
        better, sure = torch.where(ended, torch.zeros_like(better), better), sure | ended
        seat, hoped = kept["turns"][step], kept["hopes"][step]
        off = hope[rows, seat] - hoped
        advantages[step] = torch.where(sure[rows, seat], off + TRACE * better[rows, seat], 0.0)
        known[step] = sure[rows, seat]
        hope[rows, seat], better[rows, seat], sure[rows, seat] = hoped, advantages[step], True
    return advantages, known


def learn(network: Network, optimiser: Any, kept: dict[str, Any], players: int) -> None:
    advantages, sure = evaluate(kept, players)
    chosen = sure.flatten().nonzero().squeeze(-1)
    rows = {
        name: kept[name].flatten(0, 1)[chosen] for name in ("known", "masks", "actions", "likely", "hopes")
    }
    advantages = advantages.flatten()[chosen]
    aims = rows["hopes"] + advantages
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(chosen), device=chosen.device).chunk(PARTS):
            chances, hopes = network(rows["known"][part], rows["masks"][part])
            ratio = (chances.log_prob(rows["actions"][part]) - rows["likely"][part]).exp()
            gain = torch.minimum(ratio * advantages[part], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[part])
            loss = (
                -gain.mean() + 0.5 * (hopes - aims[part]).square().mean() - CURIOUS * chances.entropy().mean()
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def share_of_wins(name: str, players: int, network: Network, device: str, games: int = 400) -> float:
    """Against clerks, who play on the CPU; a tie is half a win."""
    batch = Batch(name, games, players, seed=10**6, bots="clerk", rotate_seats=True)
    now, won, over = Arrays(batch), 0.0, torch.zeros(games, dtype=torch.bool)
    while not over.all():
        with torch.no_grad():
            chances, _ = network(now.known.to(device), now.masks.to(device))
        batch.step(chances.logits.argmax(-1).cpu().numpy())
        first = now.ends & ~over  # of each row its first game counts
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
    parser.add_argument("--every", type=int, default=20, help="updates between meetings with the clerk")
    given = parser.parse_args()
    batch = Batch(given.game, given.games, given.players, device=given.device, seed=1)
    now, high = Arrays(batch), torch.from_numpy(batch.layout.high).to(given.device).float()
    network = Network(batch, high).to(given.device)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    started = time.perf_counter()
    for update in range(1, given.updates + 1):
        learn(network, optimiser, play(batch, now, network, given.steps), batch.players)
        if update % given.every == 0:
            batch.check()
            decisions, spent = update * given.steps * given.games, time.perf_counter() - started
            won = share_of_wins(given.game, batch.players, network, given.device)
            print(
                f"{decisions:>13,} decisions, {spent:5.0f} s: {won:.1%} of the wins against clerks",
                flush=True,
            )


if __name__ == "__main__":
    main()
