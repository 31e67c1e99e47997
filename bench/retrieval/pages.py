"""How many pages a minute an import takes offline, and whether its memory stays flat."""

import random
import resource
import tempfile
import time
from pathlib import Path
from typing import Final

from activities.knowledge.importing import Importer, ImportOrder, ImportReport
from adapters.importing.reader import SandboxedReader
from adapters.importing.sources import files_below
from bench.retrieval.house import House
from bench.retrieval.words import paragraph

PAGES: Final = 1000
SECTIONS: Final = 4


async def measure(house: House) -> dict[str, float]:
    """Imports 1,000 pages of HTML and Markdown, four sections each, then once more unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        write_pages(Path(folder), PAGES)
        first_s, report, half_mib, full_mib = await _import(house, Path(folder))
        again_s, again, _, _ = await _import(house, Path(folder))
    return {
        "import_pages": report.seen,
        "import_entries": report.added.stored,
        "import_refused": len(report.refused),
        "import_pages_per_minute": report.seen / first_s * 60,
        "import_again_pages_per_minute": again.seen / again_s * 60,
        "import_again_stored": again.added.stored,
        "import_rss_half_way_mib": half_mib,
        "import_rss_end_mib": full_mib,
    }


def write_pages(folder: Path, count: int) -> None:
    """Invented help pages, the same ones every time."""
    rng = random.Random(7)
    for number in range(count):
        sections = [(f"Topic {number}.{part}", paragraph(rng, 70)) for part in range(SECTIONS)]
        if number % 2:
            body = "".join(f"<h2>{head}</h2><p>{text}</p>" for head, text in sections)
            page = f"<html><title>Page {number}</title><body><nav>menu</nav><main>{body}</main></body></html>"
            (folder / f"page{number:04}.html").write_text(page)
        else:
            (folder / f"page{number:04}.md").write_text("\n\n".join(f"## {head}\n\n{text}" for head, text in sections))


async def _import(house: House, folder: Path) -> tuple[float, ImportReport, float, float]:
    reader, report, half = SandboxedReader(), ImportReport(), 0.0
    began = time.monotonic()
    try:
        importer = Importer(house.database, house.mailbox_id, reader, house.embedder)
        files, order = await files_below(folder, reader), ImportOrder("faq", "bench", "site")
        async for outcome in importer.run(files, order):
            report.count(outcome)
            half = _peak_mib() if report.seen == len(files) // 2 else half
        await importer.finish(files, order)
    finally:
        await reader.close()
    return time.monotonic() - began, report, half, _peak_mib()


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
