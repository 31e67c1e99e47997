"""The one way to a chat model: every call of every task goes through `client.Models` and leaves a ledger row.

Import the submodule you need; this package imports none itself, because `openai` takes a noticeable time to load.
"""
