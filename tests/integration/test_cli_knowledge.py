"""`deskhand knowledge` on a real database with the offline embedder: imported once, superseded, found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.demo_cases import KNOWLEDGE
from tests.integration.cli_house import House, new_house

PAGE = "# Delivery\n\n## Times\n\nDelivery takes two working days.\n\n## Costs\n\nDelivery costs 4.90 euros.\n"


@pytest.fixture
def house(database_url: str, owner_database_url: str, tmp_path: Path) -> Iterator[House]:
    """An installation without servers, and a help page."""
    (tmp_path / "delivery.md").write_text(PAGE)
    yield new_house(database_url, owner_database_url, tmp_path / "state")


def add(house: House, tmp_path: Path, *options: str) -> str:
    """Import the page; what the command says."""
    result = house.deskhand("knowledge", "add", str(tmp_path / "delivery.md"), *options)
    assert result.exit_code == 0, result.output
    return result.output.strip()


def listed(house: House) -> list[list[str]]:
    """The rows of `knowledge list`."""
    return [line.split("\t") for line in house.deskhand("knowledge", "list").output.splitlines()[1:]]


def test_an_import_is_verified_and_says_who_said_it(house: House, tmp_path: Path) -> None:
    """P104: what the team imports is verified, with provenance, for the whole mailbox, and has its vector."""
    assert add(house, tmp_path) == "2 entries stored, 0 known already, 0 older texts superseded."
    assert listed(house) == [
        ["faq, verified", "Delivery > Costs", "Delivery costs 4.90 euros.", "team: delivery.md", "everybody"],
        ["faq, verified", "Delivery > Times", "Delivery takes two working days.", "team: delivery.md", "everybody"],
    ]
    rows = house.sql("SELECT vector_dims(embedding) AS width, model FROM knowledge_vectors")
    assert [row["width"] for row in rows] == [512, 512]


def test_an_imported_policy_is_policy(house: House, tmp_path: Path) -> None:
    """A116: with type policy the trust is policy, so it comes first in every briefing."""
    add(house, tmp_path, "--type", "policy")
    assert {row[0] for row in listed(house)} == {"policy, policy"}


def test_a_repeat_stores_nothing_and_a_new_type_changes_the_entry(house: House, tmp_path: Path) -> None:
    """Idempotent by content: no second row, and no second embedding of what is known."""
    add(house, tmp_path)
    calls = house.sql("SELECT count(*) FROM llm_usage WHERE task = 'embed'")
    assert add(house, tmp_path) == "0 entries stored, 2 known already, 0 older texts superseded."
    assert house.sql("SELECT count(*) FROM llm_usage WHERE task = 'embed'") == calls
    add(house, tmp_path, "--type", "policy")
    assert [row[0] for row in listed(house)] == ["policy, policy"] * 2


def test_a_changed_section_supersedes_its_older_text_and_back_again(house: House, tmp_path: Path) -> None:
    """P107: two answers to one question never both enter a prompt; a text put back is current again."""
    add(house, tmp_path)
    (tmp_path / "delivery.md").write_text(PAGE.replace("4.90", "5.90"))
    assert add(house, tmp_path) == "1 entries stored, 1 known already, 1 older texts superseded."
    costs = {row[2]: row[0] for row in listed(house) if row[1] == "Delivery > Costs"}
    assert costs == {"Delivery costs 4.90 euros.": "faq, superseded", "Delivery costs 5.90 euros.": "faq, verified"}
    (tmp_path / "delivery.md").write_text(PAGE)
    add(house, tmp_path)
    costs = {row[2]: row[0] for row in listed(house) if row[1] == "Delivery > Costs"}
    assert costs == {"Delivery costs 4.90 euros.": "faq, verified", "Delivery costs 5.90 euros.": "faq, superseded"}


def test_two_sections_of_one_title_stay_both(house: House, tmp_path: Path) -> None:
    """Sections of one import never supersede each other."""
    (tmp_path / "delivery.md").write_text("# Note\nOne.\n# Note\nTwo.\n")
    assert add(house, tmp_path) == "2 entries stored, 0 known already, 0 older texts superseded."
    assert add(house, tmp_path) == "0 entries stored, 2 known already, 0 older texts superseded."


def test_a_question_finds_its_answer_first(house: House) -> None:
    """P107: words and meaning together, in English and German."""
    for pattern, kind in (("policy-*.md", "policy"), ("[!p]*.md", "faq")):
        house.deskhand("knowledge", "add", *map(str, KNOWLEDGE.glob(pattern)), "--type", kind)
    asked = {
        "I forgot my password, how can I get in again?": "Your account > Resetting the password",
        "Was kostet der Versand in die Schweiz?": "Lieferung > Versandkosten",
        "which socket does the bulb of the Fern lamp have": "The Fern desk lamp > Which bulb fits",
    }
    answers = [house.deskhand("knowledge", "search", question).output.splitlines() for question in asked]
    assert [rows[1].split("\t")[1] for rows in answers] == list(asked.values())


def test_superseded_entries_are_last_and_marked(house: House, tmp_path: Path) -> None:
    """A116: search ranks them last and says so."""
    add(house, tmp_path)
    (tmp_path / "delivery.md").write_text(PAGE.replace("costs 4.90 euros", "is free"))
    add(house, tmp_path)
    rows = house.deskhand("knowledge", "search", "delivery costs 4.90 euros").output.splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["faq, verified", "faq, verified", "faq, superseded"]


def test_embeddings_switched_off_leave_the_words(house: House, tmp_path: Path) -> None:
    """A19a: `off` makes no embedding call; entries are stored and found by their words."""
    house.environment["LLM_EMBEDDING_MODEL"] = "off"
    add(house, tmp_path)
    assert house.sql("SELECT count(*) FROM llm_usage")[0][0] == 0
    assert "Delivery > Times" in house.deskhand("knowledge", "search", "working").output
    del house.environment["LLM_EMBEDDING_MODEL"]
    assert house.deskhand("knowledge", "embed").output.strip() == "2 vectors made."
    assert house.deskhand("knowledge", "embed").output.strip() == "0 vectors made."


def test_nothing_found_is_exit_code_1(house: House) -> None:
    """A script can tell."""
    assert house.deskhand("knowledge", "search", "anything at all").exit_code == 1


@pytest.mark.parametrize("name", ["nobody@elsewhere.example", "unassigned"])
def test_an_unknown_mailbox_is_named(house: House, tmp_path: Path, name: str) -> None:
    """No import into the wrong place; the lane for strays is no mailbox to know things."""
    result = house.deskhand("knowledge", "add", str(tmp_path / "delivery.md"), "--mailbox", name)
    assert result.exit_code == 1 and name in result.output


def test_a_mailbox_goes_by_its_address_and_its_name(house: House, tmp_path: Path) -> None:
    """Address in any case, or name."""
    assert add(house, tmp_path, "--mailbox", "Support@Example.org").startswith("2 entries stored")
    assert add(house, tmp_path, "--mailbox", "default").startswith("0 entries stored, 2 known")
