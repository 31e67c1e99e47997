"""The table of requirements is the one the tests make."""

from tests.missions.requirements_table import TABLE, table


def test_the_table_is_up_to_date() -> None:
    """A test that was renamed or cites another number shows here."""
    assert TABLE.read_text() == table()
