"""Rules of missions without clock or I/O: queues, stages, barrier, gates, budgets, ledger and results."""
