"""The trained part of the endpoint: a linear layer in a small file, so that anybody can rebuild it."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from offline.embedder import Vectors

_FILE = "head.npz"


@dataclass(frozen=True, slots=True)
class LinearHead:
    """Weights of shape (features, classes). `temperature` calibrates; `margin` is the lead the winner must have."""

    names: tuple[str, ...]
    weights: Vectors
    bias: Vectors
    temperature: float
    margin: float

    def probabilities(self, rows: Vectors) -> Vectors:
        """One row of class probabilities per row of features."""
        scores = (rows @ self.weights + self.bias) / self.temperature
        grown = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Vectors = grown / grown.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, slots=True)
class Trained:
    """Everything the training script measured."""

    category: LinearHead
    order: LinearHead
    knowledge_cosine: float
    spam_least: float


@cache
def trained() -> Trained:
    """The committed heads, the least cosine at which knowledge counts as an answer, the least probability of spam."""
    with files("offline").joinpath("data", _FILE).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        numbers = {name: stored[name] for name in stored.files}
    heads = {
        name: LinearHead(
            tuple(map(str, numbers[f"{name}_names"])),
            numbers[f"{name}_weights"].astype(np.float32),
            numbers[f"{name}_bias"].astype(np.float32),
            float(numbers[f"{name}_temperature"]),
            float(numbers[f"{name}_margin"]),
        )
        for name in ("category", "order")
    }
    return Trained(heads["category"], heads["order"], float(numbers["knowledge_cosine"]), float(numbers["spam_least"]))
