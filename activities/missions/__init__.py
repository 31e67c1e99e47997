"""Everything a mission does to the world: copies of its state, leases, turns, effects and results."""
