"""The networks as PyTorch trains them."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from comptoir.bots.network import (
    GAPS,
    VALUE,
    Floats,
    shapes_of,
)
from comptoir.engine.game import Game
from comptoir.extras import needs
from comptoir.learn.distributed import ProcessGroup
from comptoir.learn.search_games import NOT_CONSIDERED

if TYPE_CHECKING:
    from torch import Tensor
    from torch import dtype as torch_dtype
    from torch.optim import Optimizer

WEIGHT_DECAY = 0.05  # AdamW's
MAX_GRAD_NORM = 0.5  # with a policy head
MIN_RATE_PART = 0.02  # of the learning rate, at the end
ILLEGAL = -1e9  # the logit of an illegal action
OLD_WEIGHTS = {  # in the state of runs before the names changed
    "own": "bucket_embedding",
    "along": "entry_slope",
    "judged": "gap_weights",
    "second": "value_second",
    "second_bias": "value_second_bias",
    "last": "value_head",
    "last_bias": "value_bias",
    "judgement": "gap_scale",
}


def load_torch() -> ModuleType:
    with needs("learn"):
        import torch
    return cast(ModuleType, torch)


def current_weights(saved: dict[str, Tensor]) -> dict[str, Tensor]:
    """Saved weights under their present names."""
    return {OLD_WEIGHTS.get(name, name): tensor for name, tensor in saved.items()}


@dataclass(frozen=True)
class ValidationResult:
    """A network's losses on games that it has not trained on yet."""

    rows: int
    loss: float  # cross-entropy of the value with the outcome
    baseline_loss: float | None = None  # the hand-written evaluation's
    entropy: float | None = None  # the policy's


class Learner(ABC):
    """A network in training: what all kinds of networks share."""

    optimizer: Optimizer
    rate: float  # of learning, at the beginning
    max_grad_norm: float | None = None

    @abstractmethod
    def losses(self, batch: dict[str, Tensor], search_target_weight: float) -> Tensor:
        """What training makes small, for each row."""

    def value_target(self, batch: dict[str, Tensor], search_target_weight: float) -> Tensor:
        """A mixture of the search's values and the outcome."""
        return search_target_weight * batch["search_values"] + (1 - search_target_weight) * batch["outcome"]

    def set_rate(self, remaining: float) -> None:
        """The learning rate falls with the time remaining."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * max(MIN_RATE_PART, remaining)

    def take_step(self, loss: Tensor) -> None:
        """Change the weights so that the loss falls."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.max_grad_norm is not None:
            weights = [weight for group in self.optimizer.param_groups for weight in group["params"]]
            load_torch().nn.utils.clip_grad_norm_(weights, self.max_grad_norm)
        self.optimizer.step()

    def train_step(self, batch: dict[str, Tensor], search_target_weight: float, remaining: float) -> Tensor:
        """Take one step on rows of searches and return its loss."""
        self.set_rate(remaining)
        loss = self.losses(batch, search_target_weight).mean()
        self.take_step(loss)
        return loss


class PolicyValueLearner(Learner):
    """A network with a policy head and an open value head in training, from random weights.

    `model` plays and is saved; `training_model` is the same one, trained together with other processes.
    """

    def __init__(
        self,
        game: Game,
        width: int,
        second_width: int,
        rate: float,
        seed: int,
        device: str,
        group: ProcessGroup | None = None,
    ) -> None:
        torch = self.torch = load_torch()
        from comptoir.learn.policy_value import PolicyValueModel

        torch.manual_seed(seed)
        self.game, self.device, self.rate, self.seats = game, device, rate, game.position.seats
        self.max_grad_norm = MAX_GRAD_NORM
        self.model = PolicyValueModel(game, width, second_width).to(device)
        self.group = group or ProcessGroup(device=device)
        self.training_model = self.group.data_parallel(self.model)
        if not self.group.is_first:
            torch.manual_seed(seed + (self.group.rank << 32))  # each process plays and shuffles differently
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=rate, weight_decay=WEIGHT_DECAY, fused=device == "cuda"
        )

    def row_kinds(self) -> dict[str, tuple[tuple[int, ...], torch_dtype]]:
        """What a row of a search consists of: shapes and types."""
        torch, layout = self.torch, self.game.observation
        others = len(layout.private_entries) * (self.seats - 1)
        return {
            "rows": ((layout.size,), torch.uint8),
            "others": ((others,), torch.uint8),
            "visits": ((len(self.game.actions),), torch.int16),
            "search_values": ((self.seats,), torch.float32),
            "outcome": ((self.seats,), torch.float32),
            "players": ((), torch.uint8),
        }

    def losses(self, batch: dict[str, Tensor], search_target_weight: float) -> Tensor:
        """The cross-entropies of each row: of the policy with the search's visits, and of the value with a
        mixture of the search's values and the outcome.
        """
        log_probs, log_shares = self._log_probs_and_shares(batch)
        visits = batch["visits"].clamp_min(0).float()
        policy_target = visits / visits.sum(1, keepdim=True).clamp_min(1)
        value_target = self.value_target(batch, search_target_weight)
        return -(policy_target * log_probs).sum(1) - (value_target * log_shares).sum(1)

    def validate(self, batch: dict[str, Tensor]) -> ValidationResult:
        with self.torch.no_grad():
            log_probs, log_shares = self._log_probs_and_shares(batch)
            loss = -(batch["outcome"] * log_shares).sum(1).mean()
            entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        return ValidationResult(len(batch["players"]), float(loss), entropy=float(entropy))

    def _log_probs_and_shares(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The logarithms of the probability of each action that the search considered, and of each seat's
        share of the win.
        """
        logits, value_logits = self.training_model(batch["rows"], batch["others"], batch["players"])
        logits = logits.masked_fill(batch["visits"] == NOT_CONSIDERED, ILLEGAL)
        return logits.log_softmax(1), value_logits.log_softmax(1)

    def arrays(self) -> dict[str, Floats]:
        """The weights in the form that a search uses."""
        found: dict[str, Floats] = self.model.arrays()
        return found

    def start_from(self, arrays: dict[str, Floats]) -> None:
        """Take over the weights of a network of the same shape; the optimizer starts afresh."""
        self.model.start_from(arrays)

    def state(self) -> dict[str, object]:
        """What `restore` needs, small enough to be carried to another machine: the optimizer's moments are
        rounded to 16 bits.
        """
        optimizer = self.optimizer.state_dict()
        moments = {nth: self._rounded(state) for nth, state in optimizer["state"].items()}
        return {"model": self.model.state_dict(), "optimizer": optimizer | {"state": moments}}

    def _rounded(self, state: dict[str, Tensor]) -> dict[str, Tensor]:
        return {name: tensor.bfloat16() if tensor.ndim else tensor for name, tensor in state.items()}

    def restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


class ValueLearner(Learner):
    """A network with a value head alone in training. It starts as the hand-written evaluation itself."""

    def __init__(
        self, game: Game, width: int, second_width: int, rate: float, seed: int, device: str
    ) -> None:
        torch = self.torch = load_torch()
        from comptoir.learn.policy_value import SLOPE_SCALE, Embedding

        torch.manual_seed(seed)
        self.game, self.device, self.rate = game, device, rate
        self.seats = game.position.seats
        self.embedding = Embedding(game.observation.high, width, SLOPE_SCALE).to(device)
        shapes = shapes_of(game, width, second_width)
        self.weights = {
            "bucket_embedding": self.embedding.buckets,
            "entry_slope": self.embedding.slopes,
            "gap_weights": self._random(shapes["gap_weights"], SLOPE_SCALE),
            "bias": self._zeros((width,)),
            "value_second": self._random(shapes["value_second"], (2 / width) ** 0.5),
            "value_second_bias": self._zeros((second_width,)),
            "value_head": self._zeros(shapes["value_head"]),
            "value_bias": self._zeros((self.seats,)),
            "gap_scale": self._zeros((1,)),
        }
        with torch.no_grad():
            self.weights["gap_scale"] += 1.0
        self.optimizer = torch.optim.AdamW(
            self.weights.values(), lr=rate, weight_decay=WEIGHT_DECAY, fused=device == "cuda"
        )

    def _zeros(self, shape: tuple[int, ...]) -> Tensor:
        return self.torch.zeros(shape, device=self.device, requires_grad=True)

    def _random(self, shape: tuple[int, ...], size: float) -> Tensor:
        made = self.torch.randn(shape) * size
        return made.to(self.device).requires_grad_()

    def _logits(self, rows: Tensor, gaps: Tensor, players: Tensor) -> Tensor:
        torch, w = self.torch, self.weights
        hidden = self.embedding(rows) + gaps @ w["gap_weights"] + w["bias"]
        narrow = torch.relu(hidden) @ w["value_second"] + w["value_second_bias"]
        out = torch.relu(narrow) @ w["value_head"] + w["value_bias"] + w["gap_scale"] * gaps
        places = torch.arange(self.seats, device=self.device)
        return out.masked_fill(places >= players[:, None], -1e9)

    def losses(self, batch: dict[str, Tensor], search_target_weight: float) -> Tensor:
        """The cross-entropy of each row with a mixture of the search's values and the outcome."""
        target = self.value_target(batch, search_target_weight)
        logits = self._logits(batch["rows"], batch["gaps"], batch["players"])
        return -(target * self.torch.log_softmax(logits, 1)).sum(1)

    def baseline_losses(self, batch: dict[str, Tensor]) -> Tensor:
        """The cross-entropy of the hand-written evaluation with the outcome."""
        places = self.torch.arange(self.seats, device=self.device)
        gaps = batch["gaps"].masked_fill(places >= batch["players"][:, None], -1e9)
        return -(batch["outcome"] * self.torch.log_softmax(gaps, 1)).sum(1)

    def validate(self, batch: dict[str, Tensor]) -> ValidationResult:
        with self.torch.no_grad():
            loss = self.losses(batch, 0.0).mean()
            baseline_loss = self.baseline_losses(batch).mean()
        return ValidationResult(len(batch["players"]), float(loss), float(baseline_loss))

    def row_kinds(self) -> dict[str, tuple[tuple[int, ...], torch_dtype]]:
        """What a row of a search consists of: shapes and types."""
        torch, seats = self.torch, self.seats
        return {
            "rows": ((self.game.observation.size,), torch.uint8),
            "gaps": ((seats,), torch.float32),
            "search_values": ((seats,), torch.float32),
            "outcome": ((seats,), torch.float32),
            "players": ((), torch.uint8),
        }

    def arrays(self) -> dict[str, Floats]:
        """The weights in the form that a search uses."""
        w = {name: tensor.detach() for name, tensor in self.weights.items()}
        with self.torch.no_grad():
            found = {
                "embedding": self.embedding.table(),
                **{name: w[name] for name in w.keys() & {*VALUE, *GAPS}},
            }
        return {name: array.detach().cpu().numpy().astype(np.float32) for name, array in found.items()}

    def start_from(self, arrays: dict[str, Floats]) -> None:
        """Take over the weights of a network of the same shape; the optimizer starts afresh."""
        w = dict(arrays)
        w["bucket_embedding"] = w.pop("embedding")
        with self.torch.no_grad():
            self.weights["entry_slope"].zero_()  # already summed into the embedding
            for name, array in w.items():
                self.weights[name].copy_(self.torch.as_tensor(array, device=self.device))

    def state(self) -> dict[str, object]:
        return {"weights": self.weights, "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        saved = current_weights(state["weights"])
        with self.torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(saved[name])
        self.optimizer.load_state_dict(state["optimizer"])


class ReplayBuffer:
    """The latest rows, on the training device."""

    def __init__(self, learner: PolicyValueLearner | ValueLearner, capacity: int, seed: int) -> None:
        torch = self.torch = learner.torch
        self.device, self.capacity = learner.device, capacity
        self.arrays = {
            name: torch.zeros((capacity, *shape), dtype=kind, device=self.device)
            for name, (shape, kind) in learner.row_kinds().items()
        }
        self.generator = torch.Generator(device=self.device).manual_seed(seed)
        self.seen = 0

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def batch_of(self, rows: Mapping[str, NDArray[np.generic]]) -> dict[str, Tensor]:
        return {name: self.torch.as_tensor(rows[name], device=self.device) for name in self.arrays}

    def add(self, batch: dict[str, Tensor]) -> None:
        many = len(batch["players"])
        places = (self.torch.arange(many, device=self.device) + self.seen) % self.capacity
        for name, array in self.arrays.items():
            array[places] = batch[name]
        self.seen += many

    def sample(self, many: int) -> dict[str, Tensor]:
        places = self.torch.randint(len(self), (many,), device=self.device, generator=self.generator)
        return {name: array[places] for name, array in self.arrays.items()}


def cores() -> int:
    return os.cpu_count() or 1
