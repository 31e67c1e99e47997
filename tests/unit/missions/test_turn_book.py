"""The queue of one workflow under any order of events: one current turn, rising numbers, nothing stale runs."""

from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.missions import ItemKind, ItemState, TurnKind, TurnState
from domain.missions.turns import LIVE, Item, TurnBook

EVENTS = st.lists(
    st.sampled_from(["owner", "mail", "handoff", "take", "admit", "final", "interrupt", "again", "fence", "reopen"]),
    max_size=60,
)
KINDS = {"owner": ItemKind.OWNER_INPUT, "mail": ItemKind.MAIL, "handoff": ItemKind.HANDOFF_RESULT}


def item(kind: ItemKind = ItemKind.OWNER_INPUT) -> Item:
    """A new transport."""
    return Item(item_id=uuid4(), kind=kind)


def play(book: TurnBook, event: str) -> None:
    """One event, as the workflow would let it happen."""
    current = book.current
    if event in KINDS:
        book.add(item(KINDS[event]))
    elif event == "take" and current is None:
        book.take()
    elif event == "fence":
        book.fence("left")
    elif event == "reopen" and current is None:
        book.reopen()
    elif current is not None:
        {
            "admit": lambda: book.admitted(current),
            "final": lambda: book.final(current, waits_for_children=False),
            "interrupt": lambda: book.interrupt(current),
            "again": lambda: book.again(current, current.generation + 1),
        }.get(event, lambda: None)()


@given(EVENTS)
@settings(max_examples=300, deadline=None)
def test_one_turn_is_current_and_numbers_only_rise(events: list[str]) -> None:
    """Whatever happens: at most one live turn, the pointer never moves back, no number twice."""
    # M6 M25 M109
    book, pointer = TurnBook(), 0
    for event in events:
        play(book, event)
        assert sum(turn.state in LIVE for turn in book.turns) <= 1
        assert book.current_no >= pointer
        pointer = book.current_no
        numbers = [turn.no for turn in book.turns]
        assert numbers == sorted(set(numbers))


@given(EVENTS)
@settings(max_examples=300, deadline=None)
def test_inputs_are_taken_in_order_and_keep_their_identity(events: list[str]) -> None:
    """First in, first out; an item keeps the epoch and turn it was created under, whatever becomes of it."""
    # M25 M26 M30
    book, made = TurnBook(), {}
    for event in events:
        play(book, event)
        for one in book.items:
            identity = (one.gate_epoch, one.created_turn_no, one.seq)
            assert made.setdefault(one.item_id, identity) == identity
    taken = [one for one in book.items if one.turn_no is not None and one.kind is not ItemKind.HANDOFF_RESULT]
    assert [one.turn_no for one in taken] == sorted(one.turn_no for one in taken if one.turn_no is not None)


@given(EVENTS)
@settings(max_examples=200, deadline=None)
def test_leaving_open_leaves_nothing_deliverable_and_repeats_change_nothing(events: list[str]) -> None:
    """After the fence no turn is queued or live and no item pending; the second clean-up is the first."""
    # M28 M31 M32 M77 M78 T20
    book = TurnBook()
    for event in events:
        play(book, event)
    book.fence("closed")
    after = book.model_dump_json()
    assert book.pending == [] and book.current is None and book.planned is None and book.take() is None
    assert book.fence("again") == [] and book.model_dump_json() == after


def test_a_waiting_continuation_is_replaced_for_good() -> None:
    """Real input disables the continuation; it never runs, whatever comes later."""
    # M62 M63 M109 T21
    book = TurnBook()
    book.add(item())
    first = book.take()
    assert first is not None
    book.admitted(first)
    assert book.final(first, waits_for_children=False)
    continuation = book.planned
    book.add(item())
    second = book.take()
    assert second is not None and continuation is not None
    assert (continuation.state, continuation.superseded_by) == (TurnState.SUPERSEDED, second.no)
    book.final(second, waits_for_children=False)
    assert book.take() is not continuation


def test_a_final_of_a_stale_turn_changes_no_byte() -> None:
    """A late answer of a turn that is over: no counter, no successor, nothing."""
    # M63 M111 T22
    book = TurnBook()
    book.add(item())
    turn = book.take()
    assert turn is not None
    book.fence("gated")
    before = book.model_dump_json()
    assert book.final(turn, waits_for_children=False) is False
    book.admitted(turn)
    assert book.model_dump_json() == before


def test_waiting_for_children_buys_no_turns() -> None:
    """However long a child works, nothing is counted and nothing planned."""
    # M110 T28
    book = TurnBook()
    book.add(item())
    turn = book.take()
    assert turn is not None
    assert book.final(turn, waits_for_children=True) is False
    assert (book.no_progress, book.planned) == (0, None)


def test_ready_handoffs_share_a_turn_and_later_ones_get_their_own() -> None:
    """Membership is sealed when the callback is claimed; assigned results always come alone."""
    # M108 T16
    book = TurnBook()
    for _ in range(2):
        book.add(item(ItemKind.HANDOFF_RESULT))
    shared = book.take()
    book.add(item(ItemKind.HANDOFF_RESULT))
    assert shared is not None and len(shared.item_ids) == 2
    book.finish(shared, "final")
    later = book.take()
    assert later is not None and len(later.item_ids) == 1


def test_progress_resets_the_count_and_64_finals_do_not_trip() -> None:
    """A recorded result or the owner's word begins the count anew."""
    # M45 M46 T26 T27
    book = TurnBook(no_progress=64)
    book.progress()
    assert book.no_progress == 0


def test_an_interrupted_turn_is_over_and_carried_on_with_its_token() -> None:
    """The resume turn is new, linked, and holds the token and items of the old one."""
    # M73 M117
    book = TurnBook()
    book.add(item())
    turn = book.take()
    assert turn is not None
    turn.token = "secret"
    resume = book.interrupt(turn)
    assert (turn.state, turn.outcome) == (TurnState.FINISHED, "interrupted")
    assert (resume.kind, resume.continues, resume.resume_token) == (TurnKind.RESUME, turn.no, "secret")
    assert book.take() is resume and resume.item_ids == turn.item_ids


def test_an_undeliverable_item_stays_where_it_is() -> None:
    """Mail for a gated mission is recorded and never delivered, not even after re-opening."""
    # M30 M135a
    book = TurnBook()
    mail = book.add(item(ItemKind.MAIL))
    book.undeliverable(mail, "not_open")
    book.reopen()
    assert book.take() is None and mail.state is ItemState.FAILED
