"""The door for mail over HTTP: one contract for all sources, whatever happens behind it (RC1-RC21)."""
