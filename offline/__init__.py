"""The offline model endpoint: a small process that speaks the chat-completions protocol without any download.

It is a classifier and a template filler, no language model: it cannot be talked into anything, and it cannot write
anything that is not in the knowledge it is given or in its own phrase book. It knows nothing of the rest of Deskhand.
"""
