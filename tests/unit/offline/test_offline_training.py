"""The training texts and the committed weights: reproducible, and apart from the mails they are measured on."""

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import offline
from bench.offline_model import held_out_mails, held_out_orders, longest_shared_words
from offline.briefing import Mail
from offline.corpus import CATEGORIES, hand_mails, order_sentences, template_mails
from offline.embedder import DIMENSIONS, Embedder
from offline.features import CUES_FILE, NOT_TOPICS, features_of
from offline.head import trained
from offline.language import LANGUAGES
from offline.words import cue_lists, data_of, folded

PACKAGE = Path(offline.__file__).parent


def test_held_out_mails_are_many_and_balanced() -> None:
    """At least 200 in four languages, the same number of each class."""
    mails = held_out_mails()
    counts = Counter((mail.language, mail.category) for mail in mails)
    assert len(mails) >= 200 and set(counts.values()) == {7}
    assert set(counts) == {(language, category) for language in LANGUAGES for category in CATEGORIES}
    assert all(len(m.labels) == 3 for m in mails)


def test_no_held_out_passage_was_trained_on() -> None:
    """Set phrases of a few words are all that both sides share."""
    assert longest_shared_words() <= 6


def test_no_held_out_subject_or_attack_was_trained_on() -> None:
    """Subjects and attacks are our own on both sides."""
    seen = {item.mail.subject.lower() for item in [*hand_mails(), *template_mails(1)]}
    assert not {m.mail.subject.lower() for m in held_out_mails() if len(m.mail.subject.split()) > 3} & seen
    assert not {text for _, text in held_out_orders()} & {text for text, _ in order_sentences()}


def test_no_topic_cue_comes_from_the_held_out_mails() -> None:
    """A cue word of a topic that stands in a held-out mail also stands in a training text."""
    training = " ".join(folded(f"{m.mail.subject} . {m.mail.body}") for m in [*hand_mails(), *template_mails()])
    judged = " ".join(folded(f"{m.mail.subject} . {m.mail.body}") for m in held_out_mails())
    topics = {name: cues for name, cues in cue_lists(CUES_FILE).items() if name not in NOT_TOPICS}
    leaked = [cue for cues in topics.values() for cue in cues if f" {cue}" in judged and f" {cue}" not in training]
    assert leaked == []


def test_the_template_mails_are_the_same_every_time() -> None:
    """The generator draws from a seeded source."""
    assert template_mails(2) == template_mails(2) != template_mails(3)


def test_the_weights_fit_the_features(embedder: Embedder) -> None:
    """A cue list that changed without training would shift every feature; this notices."""
    row = features_of([Mail("a", "b")], embedder)
    head = trained().category
    assert head.weights.shape == (row.shape[1], len(CATEGORIES)) and head.names == CATEGORIES
    assert trained().order.weights.shape == (DIMENSIONS, 2)


def test_probabilities_are_probabilities(embedder: Embedder) -> None:
    """They add up to one, and the thresholds lie within their range."""
    shares = trained().category.probabilities(features_of([m.mail for m in held_out_mails()[:5]], embedder))
    assert shares.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert 0 < trained().category.margin < 1 and 0 < trained().knowledge_cosine < 1 and 0.5 < trained().spam_least < 1


def test_cue_lists_hold_what_folding_makes() -> None:
    """A cue that folding would change could never be found."""
    for file in ("cues.json", "acts.json", "guard_cues.json", "deferring.json", "small_words.json"):
        for group, cues in data_of(file).items():
            wrong = [cue for cue in cues if group != "forged" and folded(cue).strip() != cue.strip()]
            assert wrong == [], (file, group)


def test_the_endpoint_needs_no_training_library() -> None:
    """Only the training script imports scikit-learn, and nothing imports the training script."""
    users = {file.name for file in PACKAGE.glob("*.py") if {"sklearn", "train"} & _imports(file)}
    assert users == {"train.py"}


def test_vectors_are_kept_by_digest_and_bounded() -> None:
    """A text asked for twice is encoded once; old ones go."""
    small = Embedder(kept_vectors=2)
    first = small.vectors(["one", "two", "one"])
    assert np.array_equal(first[0], first[2]) and small.vectors([]).shape == (0, DIMENSIONS)
    assert np.array_equal(small.vectors(["two"])[0], first[1])
    small.vectors(["three", "four", "five"])
    assert small.vectors(["one"])[0] == pytest.approx(first[0], abs=1e-5) and small.kept == 2


def _imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= set(node.module.split(".")[:1]) | set(node.module.split(".")[1:])
    return names
