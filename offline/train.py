"""Builds `data/head.npz` from the texts in `data/`, the same file every time: `python -m offline.train`.

Needs scikit-learn, which the endpoint itself does not. It never reads the held-out mails of the benchmark: scale,
temperature and margins are chosen by cross-validation over the hand-written training mails.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from offline.briefing import Mail
from offline.corpus import CATEGORIES, Labelled, hand_mails, order_sentences, template_mails
from offline.embedder import DIMENSIONS, Embedder, Vectors
from offline.features import features_of
from offline.head import LinearHead
from offline.knowledge import nearness
from offline.sentences import sentences_of
from offline.words import data_of

OUTPUT = Path(__file__).parent / "data" / "head.npz"
HARMLESS, ORDER = "harmless", "order"
PER_LINE, HAND_WEIGHT = 4, 4.0
STRENGTH, ORDER_STRENGTH, ORDER_WEIGHT = 1.0, 30.0, 3.0
FOLDS = 5
SAME_STORY_COSINE = 0.5
WANTED_PRECISION = 0.94
SPAM_FLOOR = 0.8
WANTED_KNOWLEDGE_PRECISION = 0.95
_TEMPERATURES = np.linspace(0.3, 2.0, 35)
Labels = NDArray[np.int64]


def main() -> None:
    """Train, report and write."""
    embedder = Embedder()
    category, spam_least = category_head(embedder)
    stored: dict[str, object] = {"knowledge_cosine": knowledge_cosine(embedder), "spam_least": spam_least}
    for name, head in (("category", category), ("order", order_head(embedder))):
        stored |= {f"{name}_names": np.array(head.names), f"{name}_weights": head.weights.astype(np.float16)}
        stored |= {f"{name}_bias": head.bias, f"{name}_temperature": head.temperature, f"{name}_margin": head.margin}
    np.savez_compressed(OUTPUT, **stored)  # type: ignore[arg-type]
    print(f"wrote {OUTPUT.name}: {OUTPUT.stat().st_size} bytes")


def category_head(embedder: Embedder) -> tuple[LinearHead, float]:
    """The head for the eight categories and the least probability of spam; hand-written mails judge one another."""
    made, written = template_mails(PER_LINE), hand_mails()
    base, own = _rows(made, embedder), _rows(written, embedder)
    base_labels, own_labels = _labels(made), _labels(written)
    unseen = np.zeros((len(written), len(CATEGORIES)), np.float32)
    for kept, left_out in _folds(own):
        part = _fitted(base, base_labels, own[kept], own_labels[kept])
        unseen[left_out] = own[left_out] @ part.weights + part.bias
    temperature = best_temperature(unseen, own_labels)
    shares = _shares(unseen / temperature)
    margin, spam_least = least_margin(shares, own_labels), least_for_spam(shares, own_labels)
    print(f"category: {len(made)} template mails, {len(written)} by hand, cross-validated:")
    _report(shares, own_labels, margin)
    print(f"  spam from {spam_least} on")
    whole = _fitted(base, base_labels, own, own_labels)
    return LinearHead(CATEGORIES, whole.weights, whole.bias, temperature, margin), spam_least


def order_head(embedder: Embedder) -> LinearHead:
    """The head that tells orders to a model from what people write to each other; the mails count as harmless."""
    pairs = order_sentences()
    harmless = [s for item in [*hand_mails(), *template_mails(1)] for s in sentences_of(item.mail.body)]
    texts = [text for text, _ in pairs] + harmless
    labels = np.array([int(is_order) for _, is_order in pairs] + [0] * len(harmless), np.int64)
    fit = LogisticRegression(C=ORDER_STRENGTH, max_iter=3000)
    fit.fit(embedder.vectors(texts), labels, sample_weight=np.where(labels == 1, ORDER_WEIGHT, 1.0))
    weights = np.stack([np.zeros_like(fit.coef_[0]), fit.coef_[0]], axis=1)
    bias = np.array([0.0, fit.intercept_[0]])
    print(f"order: {int(labels.sum())} orders, {int((1 - labels).sum())} harmless sentences")
    return LinearHead((HARMLESS, ORDER), weights, bias, 1.0, 0.0)


def knowledge_cosine(embedder: Embedder) -> float:
    """The least cosine at which the nearest entry is the right one 19 times in 20; questions without an answer count
    as wrong wherever they find an entry."""
    items: list[dict[str, Any]] = data_of("knowledge_pairs.json")["pairs"]
    entries = [item["knowledge"] for item in items if item["knowledge"]]
    asked = [(question, place) for place, item in enumerate(items) for question in item["questions"]]
    near = nearness([question for question, _ in asked], entries, embedder)
    best, truth = near.max(1), near.argmax(1) == np.array([place for _, place in asked])
    steps = np.arange(0.1, best.max(), 0.01)
    fits = [step for step in steps if truth[best >= step].mean() >= WANTED_KNOWLEDGE_PRECISION]
    chosen = float(round(fits[0], 2))
    used = best >= chosen
    print(f"knowledge: cosine {chosen}: {truth[used].mean():.2f} right, {used[truth].mean():.2f} of the answers used")
    return chosen


def best_temperature(scores: Vectors, labels: Labels) -> float:
    """The temperature with the least log loss."""
    losses = [-np.log(_shares(scores / t)[np.arange(len(labels)), labels]).mean() for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def least_margin(shares: Vectors, labels: Labels) -> float:
    """The least lead over the second class at which the wanted precision is reached."""
    order = np.sort(shares, axis=1)
    lead, right = order[:, -1] - order[:, -2], shares.argmax(1) == labels
    for margin in np.arange(0.0, 0.8, 0.01):
        if right[lead >= margin].mean() >= WANTED_PRECISION:
            return float(round(margin, 2))
    return 0.8


def least_for_spam(shares: Vectors, labels: Labels) -> float:
    """The least probability, at least `SPAM_FLOOR`, at which no honest mail was taken for spam."""
    spam = CATEGORIES.index("spam")
    honest = shares[(labels != spam) & (shares.argmax(1) == spam), spam]
    return float(round(max(SPAM_FLOOR, float(honest.max(initial=0.0)) + 0.01), 2))


def _report(shares: Vectors, labels: Labels, margin: float) -> None:
    order = np.sort(shares, axis=1)
    sure, right = order[:, -1] - order[:, -2] >= margin, shares.argmax(1) == labels
    covered = f"coverage {sure.mean():.3f}, covered {right[sure].mean():.3f}"
    print(f"  accuracy {right.mean():.3f}; margin {margin}: {covered}")


def _rows(items: list[Labelled], embedder: Embedder) -> Vectors:
    mails: list[Mail] = [item.mail for item in items]
    return features_of(mails, embedder)


def _labels(items: list[Labelled]) -> Labels:
    return np.array([CATEGORIES.index(item.category) for item in items], np.int64)


def _fitted(base: Vectors, base_labels: Labels, own: Vectors, own_labels: Labels) -> LinearHead:
    fit = LogisticRegression(C=STRENGTH, max_iter=4000)
    weight = np.concatenate([np.ones(len(base_labels)), np.full(len(own_labels), HAND_WEIGHT)])
    fit.fit(np.vstack([base, own]), np.concatenate([base_labels, own_labels]), sample_weight=weight)
    return LinearHead(CATEGORIES, fit.coef_.T, fit.intercept_, 1.0, 0.0)


def _folds(rows: Vectors) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Mails that tell the same story in two languages stay in one fold, or they would give each other away."""
    near = rows[:, :DIMENSIONS] @ rows[:, :DIMENSIONS].T
    fold = np.arange(len(rows))
    for place in range(len(rows)):
        fold[place] = fold[int((near[place, : place + 1] >= SAME_STORY_COSINE).argmax())]
    fold %= FOLDS
    for number in range(FOLDS):
        yield fold != number, fold == number


def _shares(scores: Vectors) -> Vectors:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Vectors = grown / grown.sum(axis=1, keepdims=True)
    return found


if __name__ == "__main__":
    main()
