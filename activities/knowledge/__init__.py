"""What acts on knowledge: imports, retrieval, decisions of people, and the upkeep of vectors (P104, P107)."""
