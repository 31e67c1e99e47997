"""Imports into a real database through the real sandbox: what is taken, refused, renewed and retired (P104, HK2)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from activities.knowledge.importing import Importer, ImportOrder, ImportReport
from adapters.importing.limits import FileRefused
from adapters.importing.reader import SandboxedReader
from adapters.importing.sources import Upload, files_below
from contracts.errors import DatabaseAway
from tests.activities.conftest import World
from tests.activities.knowledge_samples import PAGE, HashedWords, bad_folder, zip_of


@pytest_asyncio.fixture
async def reader() -> AsyncIterator[SandboxedReader]:
    """A reader with its child."""
    made = SandboxedReader()
    yield made
    await made.close()


async def imported(
    world: World, reader: SandboxedReader, path: Path, embedder: Any = None, entry_type: str = "faq"
) -> ImportReport:
    """Imports a folder as a collection of its own name."""
    importer, report = Importer(world.database, world.mailbox_id, reader, embedder), ImportReport()
    files = await files_below(path, reader)
    order = ImportOrder(entry_type, "test", path.name if path.is_dir() else "")
    async for outcome in importer.run(files, order):
        report.count(outcome)
    report.count_gone(await importer.finish(files, order))
    return report


async def current(world: World) -> dict[str, str]:
    """Titles and texts of what holds now."""
    rows = await world.sql.fetch(
        "SELECT title, content FROM knowledge_entries WHERE superseded_by IS NULL AND retired_at IS NULL"
    )
    return {row["title"]: row["content"] for row in rows}


async def test_bad_files_are_refused_by_name_and_the_rest_is_imported(
    world: World, reader: SandboxedReader, tmp_path: Path
) -> None:
    """Each bad file has its reason, each good one its text, in its language and charset; nothing else is visible."""
    expected = bad_folder(tmp_path)
    report = await imported(world, reader, tmp_path)
    assert {one.name: one.reason for one in report.refused} == expected
    assert all(one.words.endswith(".") for one in report.refused)
    assert await current(world) == {
        "Delivery > Times": "Delivery takes two working days.",
        "Delivery > Costs": "Delivery costs 4.90 euros.",
        "配送": "送料は全国一律五百円です。ご注文から三日以内にお届けします。返品は十四日以内にお願いいたします。",
        "handbook": "Lamps carry a guarantee of five years.\n\nBulbs are excluded.",
        "Parking": "There are twenty places behind the house.",
        "Wann ist offen?": "Von neun bis neunzehn Uhr.",
        "Repair": "Ten years.",
    }
    documents = await world.sql.fetch("SELECT source FROM knowledge_documents")
    assert len(documents) == 6


async def test_a_second_import_stores_nothing_and_embeds_nothing(
    world: World, reader: SandboxedReader, tmp_path: Path
) -> None:
    """P104: unchanged bytes are known without being read again."""
    (tmp_path / "delivery.md").write_text(PAGE)
    embedder = HashedWords()
    assert (await imported(world, reader, tmp_path, embedder)).added.stored == 2
    again = await imported(world, reader, tmp_path, embedder)
    assert (again.added.stored, again.added.known, embedder.embedded) == (0, 2, 2)


async def test_a_changed_page_renews_only_what_changed(world: World, reader: SandboxedReader, tmp_path: Path) -> None:
    """P104: the changed passage supersedes its older text, the vanished one is retired, the rest keeps its vector."""
    page, embedder = tmp_path / "delivery.md", HashedWords()
    page.write_text(PAGE + "\n## Abroad\n\nFive days.\n")
    await imported(world, reader, tmp_path, embedder)
    page.write_text(PAGE.replace("4.90", "5.90"))
    report = await imported(world, reader, tmp_path, embedder)
    assert (report.added.stored, report.added.known, report.added.superseded) == (1, 1, 2)
    assert embedder.embedded == 4
    assert set((await current(world)).values()) == {"Delivery takes two working days.", "Delivery costs 5.90 euros."}
    fates = await world.sql.fetch(
        "SELECT content, superseded_by IS NOT NULL AS s, retired_at IS NOT NULL AS r FROM knowledge_entries ORDER BY 1"
    )
    gone = {row["content"]: (row["s"], row["r"]) for row in fates}
    assert gone["Delivery costs 4.90 euros."] == (True, False) and gone["Five days."] == (False, True)


async def test_what_a_folder_no_longer_holds_is_retired_but_not_what_became_unreadable(
    world: World, reader: SandboxedReader, tmp_path: Path
) -> None:
    """A file that vanished takes its entries along; a file that broke keeps its former text, whole."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nText of {name}.\n")
    await imported(world, reader, tmp_path)
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").write_bytes(bytes(range(256)))
    report = await imported(world, reader, tmp_path)
    assert [one.reason for one in report.refused] == ["binary"]
    assert await current(world) == {"b": "Text of b.", "c": "Text of c."}


async def test_a_text_of_two_documents_lives_until_both_are_gone(
    world: World, reader: SandboxedReader, tmp_path: Path
) -> None:
    """Deduplication across documents: one entry, two passages."""
    (tmp_path / "a.md").write_text(PAGE)
    (tmp_path / "b.md").write_text(PAGE)
    await imported(world, reader, tmp_path)
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_entries") == 2
    (tmp_path / "a.md").unlink()
    await imported(world, reader, tmp_path)
    assert len(await current(world)) == 2
    (tmp_path / "b.md").write_text("# Other\n\nSomething else.\n")
    await imported(world, reader, tmp_path)
    assert await current(world) == {"Other": "Something else."}


async def test_an_empty_folder_retires_nothing(world: World, reader: SandboxedReader, tmp_path: Path) -> None:
    """A wrong path is likelier than a team that forgot everything."""
    (tmp_path / "a.md").write_text(PAGE)
    await imported(world, reader, tmp_path)
    (tmp_path / "a.md").unlink()
    await imported(world, reader, tmp_path)
    assert len(await current(world)) == 2


async def test_a_file_is_visible_whole_or_not_at_all(world: World, reader: SandboxedReader, tmp_path: Path) -> None:
    """A database that goes away in the middle of a file leaves nothing of it."""
    importer = Importer(world.database, world.mailbox_id, reader, None)
    await world.sql.execute(
        """CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END $$;
           CREATE TRIGGER breaks BEFORE INSERT ON knowledge_passages FOR EACH ROW WHEN (NEW.number = 2)
           EXECUTE FUNCTION breaks()"""
    )
    with pytest.raises(DatabaseAway):
        await importer.import_file(Upload("delivery.md", PAGE.encode()), ImportOrder("faq", "test"))
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_entries") == 0
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_documents") == 0


async def test_two_imports_at_once_store_each_text_once(world: World, tmp_path: Path) -> None:
    """The same file twice at the same moment: one document, no entry twice, none lost."""
    (tmp_path / "delivery.md").write_text(PAGE)
    readers = [SandboxedReader(), SandboxedReader()]
    try:
        await asyncio.gather(*(imported(world, one, tmp_path) for one in readers))
    finally:
        await asyncio.gather(*(one.close() for one in readers))
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_documents") == 1
    assert len(await current(world)) == 2


async def test_a_site_export_is_read_page_by_page(world: World, reader: SandboxedReader, tmp_path: Path) -> None:
    """An archive: pages in, decoration out, a name that leads outside refused."""
    export = tmp_path / "site.zip"
    page = b"<html><body><main><h1>Hours</h1><p>Nine to six.</main></body></html>"
    export.write_bytes(zip_of({"help/hours.html": page, "style.css": b"p{}", "../evil.md": b"# X\n\ny"}))
    report = await imported(world, reader, export)
    assert [(one.name, one.reason) for one in report.refused] == [("site.zip/../evil.md", "unsafe_name")]
    assert await current(world) == {"Hours": "Nine to six."}


async def test_without_embeddings_an_import_is_found_by_words(
    world: World, reader: SandboxedReader, tmp_path: Path
) -> None:
    """P38: while the model is away the text is stored all the same, and the report says that vectors are missing."""
    (tmp_path / "delivery.md").write_text(PAGE)
    embedder = HashedWords()
    embedder.is_down = True
    report = await imported(world, reader, tmp_path, embedder)
    assert (report.added.stored, report.without_vectors) == (2, 1)
    assert await world.sql.fetchval("SELECT count(*) FROM knowledge_vectors") == 0


async def test_a_reader_that_runs_away_is_stopped_and_replaced() -> None:
    """HW12: CPU and memory are bounded by the kernel; the next file is read by a fresh child."""
    slow = SandboxedReader(cpu_limit=timedelta(seconds=3), address_space_bytes=400 * 1024 * 1024)
    deep = b"<div>" * 1_600_000
    try:
        with pytest.raises(FileRefused) as refusal:
            await slow.read(deep, "deep.html")
        stopped = ("reader_cpu", "reader_memory", "reader_killed", "reader_timeout", "too_much_text")
        assert refusal.value.reason in stopped
        read, _, size = await slow.read(PAGE.encode(), "delivery.md")
        assert (len(read.blocks), size) == (2, len(PAGE))
    finally:
        await slow.close()
