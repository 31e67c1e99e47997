"""Missions and their tasks as workflows: one current turn, one queue, and effects only through the ledger."""
