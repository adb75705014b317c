"""The network as PyTorch learns it."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import os
from typing import Any

import numpy as np

from comptoir.bots.network import ARRAYS, EXACT, POLICY, Floats, bucket_of, embedding_offsets, shapes_of
from comptoir.engine.game import Game
from comptoir.extras import needs

WEIGHT_DECAY = 0.05  # of weights, an AdamW's
ALIGNED = 64  # columns: a GPU multiplies such matrices at full speed


def load_torch() -> Any:
    with needs("learn"):
        import torch
    return torch


def number_of(step: int) -> float:
    """The number of an observation that a step stands for, or the middle of those."""
    return float(step) if step < EXACT else 8.0 * (step - EXACT + (EXACT >> 3)) + 3.5


class Learner:
    """A network that learns, on a GPU if there is one. It starts as the judgement itself; or, if it is to say
    of actions how promising they are, from nothing.
    """

    def __init__(
        self, game: Game, wide: int, narrow: int, rate: float, seed: int, device: str, policy: bool = False
    ) -> None:
        torch = self.torch = load_torch()
        torch.manual_seed(seed)
        self.game, self.device, self.rate = game, device, rate
        self.seats = game.position.seats
        starts, high = embedding_offsets(game.observation), game.observation.high
        entries = np.repeat(np.arange(len(high)), np.diff(starts))
        steps = [bucket_of(int(h)) for h in high]
        numbers = np.concatenate(
            [[number_of(n + 1) / h for n in range(k)] for k, h in zip(steps, high, strict=True)]
        )
        self.starts = self._tensor(starts[:-1].astype(np.int64))
        self.tops = self._tensor(np.array(steps, np.uint8))
        self.entries = self._tensor(entries)
        self.numbers = self._tensor(numbers.astype(np.float32))
        shapes = shapes_of(game, wide, narrow, policy)
        own = {name: self._zeros(shapes[name]) for name in POLICY if policy}
        self.weights = {
            "own": self._zeros(shapes["table"]),  # of each number of each entry,
            "along": self._random((len(high), wide), 0.1),  # and along an entry's numbers
            "judged": self._random(shapes["judged"], 0.1),
            "bias": self._zeros((wide,)),
            "second": self._random(shapes["second"], (2 / wide) ** 0.5),
            "second_bias": self._zeros((narrow,)),
            "last": self._zeros(shapes["last"]),
            "last_bias": self._zeros((self.seats,)),
            "judgement": self._zeros((1,)),
            **own,
        }
        if not policy:
            with torch.no_grad():
                self.weights["judgement"] += 1.0
        self.optimizer = torch.optim.AdamW(
            self.weights.values(), lr=rate, weight_decay=WEIGHT_DECAY, fused=device == "cuda"
        )

    def _tensor(self, array: Any) -> Any:
        return self.torch.as_tensor(array, device=self.device)

    def _zeros(self, shape: tuple[int, ...]) -> Any:
        return self.torch.zeros(shape, device=self.device, requires_grad=True)

    def _random(self, shape: tuple[int, ...], size: float) -> Any:
        made = self.torch.randn(shape) * size
        return made.to(self.device).requires_grad_()

    def _table(self) -> Any:
        w = self.weights
        return w["own"] + self.numbers[:, None] * w["along"][self.entries]

    def _steps(self, rows: Any) -> Any:
        """The place of each number of an observation among those that are told apart."""
        steps = self.torch.where(rows < EXACT, rows, EXACT - (EXACT >> 3) + (rows >> 3))
        return self.torch.minimum(steps, self.tops)

    def _logits(self, rows: Any, behind: Any, players: Any) -> Any:
        torch, w = self.torch, self.weights
        steps = self._steps(rows).long()
        index = torch.where(steps > 0, self.starts + steps, 0)
        table = torch.cat([torch.zeros_like(w["bias"])[None], self._table()])
        wide = torch.nn.functional.embedding_bag(index, table, mode="sum")
        wide = wide + behind @ w["judged"] + w["bias"]
        narrow = torch.relu(wide) @ w["second"] + w["second_bias"]
        out = torch.relu(narrow) @ w["last"] + w["last_bias"] + w["judgement"] * behind
        places = torch.arange(self.seats, device=self.device)
        return out.masked_fill(places >= players[:, None], -1e9)

    def forward(self, rows: Any, players: Any) -> tuple[Any, Any]:
        """What a network that knows actions says to seats that decide: how promising each action is and how
        likely each seat is to win, in the order of the one that decides; as logarithms, up to a sum.

        Each number of each entry is a column here, after one for nothing: for a GPU, one large product is
        quicker than many sums.
        """
        torch, w = self.torch, self.weights
        steps = self._steps(rows)
        columns = torch.where(steps > 0, self.starts + steps, 0)
        kind = torch.bfloat16 if self.device == "cuda" else torch.float32
        table = self._table()
        room = -(-(len(table) + 1) // ALIGNED) * ALIGNED
        table = torch.nn.functional.pad(table, (0, 0, 1, room - len(table) - 1))
        seen = torch.zeros((len(rows), room), dtype=kind, device=self.device).scatter_(1, columns, 1.0)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            wide = torch.relu(seen @ table + w["bias"])
            narrow = torch.relu(wide @ w["second"] + w["second_bias"])
        narrow = narrow.float()  # what is said is compared before and after an update: it is exact
        promise, chances = narrow @ w["policy"] + w["policy_bias"], narrow @ w["last"] + w["last_bias"]
        places = torch.arange(self.seats, device=self.device)
        return promise, chances.masked_fill(places >= players[:, None], -1e9)

    def losses(self, batch: dict[str, Any], mixed: float) -> Any:
        """The cross-entropy of each row, by what the search thought and by who won."""
        aim = mixed * batch["thought"] + (1 - mixed) * batch["outcome"]
        logits = self._logits(batch["rows"], batch["behind"], batch["players"])
        return -(aim * self.torch.log_softmax(logits, 1)).sum(1)

    def baseline_losses(self, batch: dict[str, Any]) -> Any:
        """The same of the judgement alone, by who won."""
        places = self.torch.arange(self.seats, device=self.device)
        behind = batch["behind"].masked_fill(places >= batch["players"][:, None], -1e9)
        return -(batch["outcome"] * self.torch.log_softmax(behind, 1)).sum(1)

    def train_step(self, batch: dict[str, Any], mixed: float, part_left: float) -> float:
        """One step, the smaller the less time is left."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * max(0.02, part_left)
        loss = self.losses(batch, mixed).mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss  # type: ignore[no-any-return]

    def arrays(self) -> dict[str, Floats]:
        """The weights as the search takes them."""
        w = {name: tensor.detach() for name, tensor in self.weights.items()}
        with self.torch.no_grad():
            found = {
                "table": self._table(),
                "last_bias": self.torch.cat([w["last_bias"], w["judgement"]]),
                **{name: w[name] for name in w.keys() & {*ARRAYS, *POLICY} - {"last_bias"}},
            }
        return {name: array.detach().cpu().numpy().astype(np.float32) for name, array in found.items()}

    def start_from(self, arrays: dict[str, Floats]) -> None:
        """Take over the weights of a network of the same shape; the optimizer starts afresh."""
        w = dict(arrays)
        bias, judgement = np.split(w.pop("last_bias"), [self.seats])
        w |= {"own": w.pop("table"), "last_bias": bias, "judgement": judgement}
        with self.torch.no_grad():
            self.weights["along"].zero_()  # already summed into the table
            for name, array in w.items():
                self.weights[name].copy_(self._tensor(array))

    def state(self) -> dict[str, Any]:
        return {"weights": self.weights, "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        with self.torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(state["weights"][name])
        self.optimizer.load_state_dict(state["optimizer"])


class ReplayBuffer:
    """The latest rows, on the device that learns."""

    def __init__(self, learner: Learner, room: int, seed: int) -> None:
        torch, seats = learner.torch, learner.seats
        self.torch, self.device, self.room = torch, learner.device, room
        kinds = {
            "rows": ((room, learner.game.observation.size), torch.uint8),
            "behind": ((room, seats), torch.float32),
            "thought": ((room, seats), torch.float32),
            "outcome": ((room, seats), torch.float32),
            "players": ((room,), torch.uint8),
        }
        self.kept = {
            name: torch.zeros(shape, dtype=kind, device=self.device) for name, (shape, kind) in kinds.items()
        }
        self.chance = torch.Generator(device=self.device).manual_seed(seed)
        self.seen = 0

    def __len__(self) -> int:
        return min(self.seen, self.room)

    def batch_of(self, rows: dict[str, Any]) -> dict[str, Any]:
        return {name: self.torch.as_tensor(rows[name], device=self.device) for name in self.kept}

    def add(self, batch: dict[str, Any]) -> None:
        many = len(batch["players"])
        places = (self.torch.arange(many, device=self.device) + self.seen) % self.room
        for name, kept in self.kept.items():
            kept[places] = batch[name]
        self.seen += many

    def draw(self, many: int) -> dict[str, Any]:
        places = self.torch.randint(len(self), (many,), device=self.device, generator=self.chance)
        return {name: kept[places] for name, kept in self.kept.items()}


def cores() -> int:
    return os.cpu_count() or 1
