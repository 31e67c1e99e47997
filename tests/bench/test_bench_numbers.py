"""The arithmetic behind the numbers: percentiles, ratios, what counts as lost or doubled, and metrics of the server."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import psutil
import pytest

from bench.accounting import Sent, judged
from bench.compare import measured
from bench.cpu import cpu_seconds
from bench.mails import large_mail, plain_mail
from bench.memory import memory_mib
from bench.outcome import BenchFailed, percentile, spread_ms
from bench.race import Taken
from bench.server_metrics import between, writes_in
from bench.sizes import FULL, QUICK, per_round
from bench.tracing import Trace
from domain.mail.parse import parse_rfc822

ONCE = Trace(1, 1, 1, 1)


def test_percentiles_are_values_that_occurred() -> None:
    """Nearest rank: of a hundred values the 99th is the 99th percentile, of one value it is that value."""
    hundred = [float(n) for n in range(100, 0, -1)]
    assert (percentile(hundred, 0.5), percentile(hundred, 0.99)) == (50, 99)
    assert percentile([7.0], 0.99) == 7 and percentile([1.0, 2.0], 0.5) == 1
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_a_spread_is_in_milliseconds() -> None:
    """Seconds go in, two named values in milliseconds come out."""
    assert spread_ms("x", [0.001, 0.002, 0.003]) == {"x_p50_ms": 2.0, "x_p99_ms": 3.0}


def test_rounds_add_up() -> None:
    """No message falls between two rounds."""
    assert per_round(10, 3) == [4, 3, 3] and sum(per_round(FULL.saturated, FULL.rounds)) == FULL.saturated
    assert sum(per_round(QUICK.saturated, QUICK.rounds)) == QUICK.saturated


def test_full_sizes_are_those_that_were_promised() -> None:
    """At least 60 sequential and 300 saturated messages, 5,000 distinct ones, 20 s of webhook load."""
    assert FULL.sequential >= 60 and FULL.saturated >= 300 and FULL.distinct == 5_000 and FULL.webhook_s == 20


def test_ratios_are_ours_over_theirs() -> None:
    """Twice the seconds per message is a ratio of two, saturated, idle and in CPU time each by itself."""
    saturated = {"ours": Taken([4.0, 6.0], [8.0, 8.0]), "floor": Taken([2.0, 3.0], [1.0, 3.0])}
    idle = {"ours": Taken([0.3, 0.1, 0.2]), "floor": Taken([0.05, 0.05, 0.9])}
    found = measured(saturated, idle, 20)
    assert found["messages_per_second"] == 2 and found["floor_messages_per_second"] == 4
    assert (found["ratio_to_floor"], found["cpu_ratio_to_floor"]) == (2, 4)
    assert found["idle_ratio_to_floor"] == pytest.approx(4) and found["cpu_ms_per_message"] == 800


def sent_mails(count: int) -> tuple[Sent, list[str]]:
    """Mails as they were sent, each answered with one message id, and their Message-IDs."""
    mails = [plain_mail(number) for number in range(count)]
    ids = [mail.partition(b"Message-ID: <")[2].partition(b">")[0].decode() for mail in mails]
    return Sent(mails, {number: {f"m{number}"} for number in range(count)}), ids


def test_once_everywhere_is_neither_lost_nor_doubled() -> None:  # P40
    """One accepted mail, one workflow, one entry and one draft for each is what is promised."""
    sent, ids = sent_mails(2)
    found = judged(dict.fromkeys(ids, ONCE), sent, 2)
    assert (found["lost"], found["doubled"], found["finished"]) == (0, 0, 2)


@pytest.mark.parametrize("place", ["accepted", "workflows", "entries", "drafts"])
@pytest.mark.parametrize(("count", "lost", "doubled"), [(0, 1, 0), (2, 0, 1)])
def test_missing_or_twice_in_any_place_is_found(place: str, count: int, lost: int, doubled: int) -> None:  # P40
    """None of the four places may be without the message or have it twice."""
    sent, ids = sent_mails(2)
    traces = {ids[0]: ONCE, ids[1]: Trace(**{**vars(ONCE), place: count})}
    with pytest.raises(BenchFailed) as failure:
        judged(traces, sent, 2)
    assert (failure.value.measured["lost"], failure.value.measured["doubled"]) == (lost, doubled)


def test_a_mail_that_left_no_trace_is_lost() -> None:
    """Nothing in the database and nothing in the engine counts as one lost mail."""
    sent, ids = sent_mails(1)
    with pytest.raises(BenchFailed, match="1 lost"):
        judged({}, sent, 1)


def test_two_message_ids_for_one_mail_are_a_double() -> None:  # RC7
    """The door must answer every repeat with the id it gave first."""
    sent, ids = sent_mails(1)
    sent.answered[0] = {"a", "b"}
    with pytest.raises(BenchFailed, match="1 doubled"):
        judged({ids[0]: ONCE}, sent, 1)


def test_what_did_not_finish_is_a_failure_even_if_nothing_is_lost() -> None:
    """The time is bounded, so the number that finished decides, not hope."""
    sent, ids = sent_mails(2)
    with pytest.raises(BenchFailed, match="1 of 2 finished"):
        judged(dict.fromkeys(ids, ONCE), sent, 1)


PAGE = """
# TYPE persistence_requests counter
persistence_requests{namespace="deskhand",operation="CreateWorkflowExecution",service_name="history"} 13
persistence_requests{namespace="deskhand",operation="UpdateWorkflowExecution",service_name="history"} 1.16e+02
persistence_requests{namespace="deskhand",operation="GetWorkflowExecution",service_name="history"} 11
persistence_requests{namespace="temporal_system",operation="UpdateWorkflowExecution",service_name="history"} 9
visibility_persistence_requests{operation="UpdateWorkflowExecution",namespace="deskhand"} 7
"""


def test_only_writes_of_our_namespace_count() -> None:
    """Reads, the server's own namespace and the visibility store are left out."""
    before, after = writes_in("", "deskhand"), writes_in(PAGE, "deskhand")
    assert after == {"CreateWorkflowExecution": 13, "UpdateWorkflowExecution": 116}
    assert between(before, after) == 129


def test_plain_mails_are_strangers_to_each_other() -> None:
    """Another sender and another Message-ID each time, so that nothing threads, coalesces or shares a budget."""
    parsed = [read(plain_mail(1)), read(plain_mail(1))]
    assert parsed[0].from_.identity != parsed[1].from_.identity and parsed[0].message_id != parsed[1].message_id
    assert "order 40001" in parsed[0].text and not parsed[0].defects


@pytest.mark.parametrize("size", [2_000, 100 * 1024])
def test_large_mails_have_their_size(size: int) -> None:
    """At most one line less than was asked for, with a picture that no other mail has."""
    mail = large_mail(1, size)
    assert size - 78 <= len(mail) <= size
    parsed, other = read(mail), read(large_mail(2, size))
    assert parsed.attachments[0].sniffed_type == "image/png" and "reading lamp" in parsed.text
    assert parsed.attachments[0].sha256 != other.attachments[0].sha256


def read(mail: bytes):  # type: ignore[no-untyped-def]
    """The mail as our parser reads it."""
    return parse_rfc822(mail, received_at=datetime.now(UTC), envelope_sender=None, envelope_recipients=())[0]


def test_cpu_time_includes_children_alive_and_ended() -> None:
    """A child that is gone still counts for its parent; a process that is gone itself counts nothing."""
    busy = "import time\nwhile time.process_time() < 0.5:\n    pass"
    before = cpu_seconds([os.getpid()])
    subprocess.run([sys.executable, "-c", busy], check=True)
    assert cpu_seconds([os.getpid()]) - before >= 0.4
    assert cpu_seconds([None, 2**22 + 1]) == 0


def test_memory_is_counted_over_all_processes() -> None:
    """Two processes hold more than one, and one that ended holds nothing."""
    own = psutil.Process()
    alone, _ = memory_mib([own])
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        both, _ = memory_mib([own, psutil.Process(child.pid)])
        ended = psutil.Process(child.pid)
        child.communicate(b"\n")
    assert both > alone > 1
    assert memory_mib([ended])[0] == 0
