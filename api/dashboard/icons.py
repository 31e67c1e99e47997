"""One set of small line icons, drawn inline so that nothing has to be fetched."""

from markupsafe import Markup

SHAPES = {
    "inbox": "M3 13l3-8h12l3 8v6H3zM3 13h5l2 3h4l2-3h5",
    "review": "M4 5h16v11H9l-5 4zM8 9h8M8 12h5",
    "quarantine": "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM12 8v5M12 16v.5",
    "failed": "M12 4l9 16H3zM12 10v5M12 17.5v.5",
    "poison": "M4 6h16v12H4zM4 7l8 6 8-6M9 16l6-5",
    "sent": "M4 12l16-8-6 16-3-7z",
    "wait": "M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2",
    "done": "M5 13l4 4 10-10",
    "archive": "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
    "stop": "M8 3h8l5 5v8l-5 5H8l-5-5V8zM8 12h8",
    "draft": "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
    "file": "M7 3h7l4 4v14H7zM14 3v4h4",
    "search": "M11 5a6 6 0 100 12 6 6 0 000-12zM16 16l4 4",
    "undo": "M9 7L4 12l5 5M4 12h10a5 5 0 010 10h-2",
    "hidden": "M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7zM4 20L20 4",
    "out": "M10 5H5v14h14v-5M13 5h6v6M19 5l-9 9",
    "person": "M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c1-5 4-7 8-7s7 2 8 7",
    "new": "M12 5v14M5 12h14",
    "back": "M15 5l-7 7 7 7",
    "settings": "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
    "copy": "M9 9h11v11H9zM5 15H4V4h11v1",
    "note": "M5 4h14v11l-5 5H5zM14 20v-5h5M8 9h8M8 12h5",
    "filter": "M4 6h16M7 12h10M10 18h4",
    "health": "M3 12h4l3-7 4 14 3-7h4",
    "missions": "M5 4v16M5 5h12l-3 4 3 4H5",
    "clock": "M12 4a8 8 0 100 16 8 8 0 000-16zM12 8v4l3 2",
}


def icon(name: str) -> Markup:
    """The drawing; it says nothing to a screen reader, the word beside it does."""
    drawing = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{}"/></svg>'
    return Markup(drawing).format(SHAPES[name])
