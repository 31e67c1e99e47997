"""One sentence encoder for all tests of the offline endpoint, since loading it takes a second."""

import pytest

from offline.classify import Classifier
from offline.embedder import Embedder
from offline.reply import Writer


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real encoder."""
    return Embedder()


@pytest.fixture(scope="session")
def classifier(embedder: Embedder) -> Classifier:
    """A classifier with the committed head, abstaining as in production."""
    return Classifier(embedder)


@pytest.fixture(scope="session")
def writer(embedder: Embedder, classifier: Classifier) -> Writer:
    """A writer on the same encoder."""
    return Writer(embedder, classifier)
