"""The question put to the knowledge base: short enough to embed, and only asked when there is something to ask
(P64)."""

MAX_QUERY_CHARS = 2_000
MIN_SEMANTIC_CHARS = 10


def retrieval_query(subject: str, body: str) -> str:
    """Subject and body as one text, its first 2,000 characters."""
    return f"{subject}\n{body}".strip()[:MAX_QUERY_CHARS]


def wants_semantic_search(query: str) -> bool:
    """True if the query is longer than 10 characters; a shorter one finds noise (A60)."""
    return len(query) > MIN_SEMANTIC_CHARS
