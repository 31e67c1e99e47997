"""How long the pages take in a house that holds 50,000 messages: `python -m bench --only pages`.

The messages are filled in by the lifecycle itself, so that every row, event, step and ledger entry is there.
"""
