"""Deterministic orchestration: workflows decide and wait; everything that touches the world is an activity."""
