"""The network with a policy head and an open value head, as a PyTorch module. It imports PyTorch."""

# mypy: disable-error-code="no-untyped-call,no-any-return,misc"

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from comptoir.bots.network import EXACT, Floats, bucket_of, number_of
from comptoir.engine.game import Game

ALIGNED = 64  # columns: a GPU multiplies matrices of such widths at full speed
SLOPE_SCALE = 0.1  # of the first random weights
UNSEATED = -1e9  # the logit of a seat that nobody plays


class Embedding(nn.Module):
    """What each number of each entry of a row adds to the first layer.

    Every bucket has a vector of its own, plus its number times a slope that the buckets of an entry share:
    numbers that are rarely seen learn from the others.
    """

    starts: Tensor
    tops: Tensor
    entries: Tensor
    numbers: Tensor

    def __init__(self, high: NDArray[np.integer], width: int, slope_scale: float) -> None:
        super().__init__()
        steps = [bucket_of(int(h)) for h in high]
        starts = np.concatenate([[0], np.cumsum(steps)])
        numbers = [
            number_of(n + 1) / h for n_steps, h in zip(steps, high, strict=True) for n in range(n_steps)
        ]
        self.register_buffer("starts", torch.as_tensor(starts[:-1], dtype=torch.int64), persistent=False)
        self.register_buffer("tops", torch.tensor(steps, dtype=torch.uint8), persistent=False)
        entries = np.repeat(np.arange(len(high)), steps)
        self.register_buffer("entries", torch.as_tensor(entries, dtype=torch.int64), persistent=False)
        self.register_buffer("numbers", torch.tensor(numbers, dtype=torch.float32), persistent=False)
        self.buckets = nn.Parameter(torch.zeros(int(starts[-1]), width))
        self.slopes = nn.Parameter(torch.randn(len(high), width) * slope_scale)

    def table(self) -> Tensor:
        """A vector for each bucket."""
        return self.buckets + self.numbers[:, None] * self.slopes[self.entries]

    def forward(self, rows: Tensor) -> Tensor:
        """The sum of the vectors of each row's numbers: column 0 stands for nothing."""
        steps = torch.where(rows < EXACT, rows, EXACT - (EXACT >> 3) + (rows >> 3))
        steps = torch.minimum(steps, self.tops)
        columns = torch.where(steps > 0, self.starts + steps, 0)
        table = self.table()
        if not torch.is_autocast_enabled(rows.device.type):
            return nn.functional.embedding_bag(columns, nn.functional.pad(table, (0, 0, 1, 0)), mode="sum")
        # in 16 bits on a GPU, one large product is faster than many sums
        n_columns = -(-(len(table) + 1) // ALIGNED) * ALIGNED
        table = nn.functional.pad(table, (0, 0, 1, n_columns - len(table) - 1))
        one_hot = torch.zeros((len(rows), n_columns), dtype=torch.bfloat16, device=rows.device)
        return one_hot.scatter_(1, columns, 1.0) @ table


class PolicyValueModel(nn.Module):
    """Policy logits from what the seat to act sees; value logits from others' private features as well."""

    def __init__(self, game: Game, width: int, second_width: int) -> None:
        super().__init__()
        layout, self.seats = game.observation, game.position.seats
        private = np.tile(layout.high[layout.private_entries], self.seats - 1)
        self.row = Embedding(layout.high, width, SLOPE_SCALE)
        self.others = Embedding(private, width, 0.0) if len(private) else None
        self.bias = nn.Parameter(torch.zeros(width))
        self.policy_second, self.policy = _dense(width, second_width), _zeros(second_width, len(game.actions))
        self.value_second, self.value = _dense(width, second_width), _zeros(second_width, self.seats)

    def forward(self, rows: Tensor, others: Tensor, players: Tensor) -> tuple[Tensor, Tensor]:
        """Policy logits of all actions, legal or not, and value logits, one per seat, relative to the seat to
        act.
        """
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.is_cuda):
            hidden = self.row(rows) + self.bias
            open_hidden = hidden if self.others is None else hidden + self.others(others)
            policy_narrow = torch.relu(self.policy_second(torch.relu(hidden)))
            value_narrow = torch.relu(self.value_second(torch.relu(open_hidden)))
        # ratios compare logits before and after an update: they must be exact
        policy_logits = self.policy(policy_narrow.float())
        value_logits = self.value(value_narrow.float())
        places = torch.arange(self.seats, device=rows.device)
        return policy_logits, value_logits.masked_fill(places >= players[:, None], UNSEATED)

    def arrays(self) -> dict[str, Floats]:
        """The weights in the form that a search uses."""
        with torch.no_grad():
            found = {
                "embedding": self.row.table(),
                "bias": self.bias,
                "others_embedding": self.others.table() if self.others else torch.zeros((0, len(self.bias))),
                **{name: layer.weight.T for (name, _), layer in self._layers().items()},
                **{name: layer.bias for (_, name), layer in self._layers().items()},
            }
        return {
            name: np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float32)
            for name, tensor in found.items()
        }

    def start_from(self, arrays: dict[str, Floats]) -> None:
        """Take over the weights of a network of the same shape."""
        with torch.no_grad():
            tables = [(self.row, "embedding"), (self.others, "others_embedding")]
            for embedding, name in tables:
                if embedding is not None:
                    embedding.slopes.zero_()  # already summed into the embedding
                    embedding.buckets.copy_(torch.from_numpy(arrays[name]))
            self.bias.copy_(torch.from_numpy(arrays["bias"]))
            for (weight, bias), layer in self._layers().items():
                layer.weight.copy_(torch.from_numpy(arrays[weight]).T)
                layer.bias.copy_(torch.from_numpy(arrays[bias]))

    def _layers(self) -> dict[tuple[str, str], nn.Linear]:
        """The dense layers, by the names of their weights and biases in a network's file."""
        return {
            ("policy_second", "policy_second_bias"): self.policy_second,
            ("policy", "policy_bias"): self.policy,
            ("value_second", "value_second_bias"): self.value_second,
            ("value_head", "value_bias"): self.value,
        }


def _dense(width: int, out: int) -> nn.Linear:
    """A layer after which comes a ReLU."""
    layer = nn.Linear(width, out)
    nn.init.normal_(layer.weight, std=(2 / width) ** 0.5)
    nn.init.zeros_(layer.bias)
    return layer


def _zeros(width: int, out: int) -> nn.Linear:
    """A head: at first, all actions and all seats are equal."""
    layer = nn.Linear(width, out)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer
