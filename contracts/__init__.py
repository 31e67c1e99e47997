"""What crosses a boundary: models, enums, ids and error types. No clock, no I/O, no rules."""
