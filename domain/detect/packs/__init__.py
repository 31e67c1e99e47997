"""Phrases of manipulation by language, as data; a language is covered once its pack stands in PACKS (HD2)."""
