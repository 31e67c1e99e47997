"""The pages on which reviewers work the inbox: rendered on the server, usable without a script, quicker with one
(P114-P121)."""
