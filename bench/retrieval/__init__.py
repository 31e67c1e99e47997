"""How well and how fast knowledge is found: a help centre, a hundred thousand entries, and who sees what."""
