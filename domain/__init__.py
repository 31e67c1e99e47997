"""Pure rules: no I/O, no clock. What is true of a message, a reply or a sender, given the facts."""
