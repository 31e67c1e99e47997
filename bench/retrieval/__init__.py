"""How well and how fast knowledge is found: a help centre written for it, a hundred thousand entries, and who sees what."""
