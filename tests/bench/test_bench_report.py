"""What a run prints, keeps and exits with; above all that a failure cannot pass for a result."""

import importlib
import importlib.machinery
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench import __main__ as command
from bench import offline_accuracy
from bench.house import forget_own_settings
from bench.outcome import BenchFailed
from bench.report import Report, shown
from bench.sizes import QUICK


@pytest.fixture
def lines() -> list[str]:
    """What was printed."""
    return []


@pytest.fixture
def report(lines: list[str], tmp_path: Path) -> Report:
    """A report into a folder of its own."""
    return Report(True, lines.append, tmp_path / "results.json")


def kept(report: Report) -> dict[str, Any]:
    """The file."""
    found: dict[str, Any] = json.loads(report._results.read_text())
    return found


def part(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    """Put a function in the place of the benchmark `cost`."""
    module = ModuleType("bench.invented")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bench.invented", module)
    monkeypatch.setitem(command.EVERY, "cost", "bench.invented")


def test_values_are_lines_and_are_kept(report: Report, lines: list[str]) -> None:
    """One `name: value` a line, the file after each part, so that a run broken off keeps what it had."""
    report.add({"events_per_message": 39.0, "pipeline_p50_ms": 81.23456})
    assert lines[-2:] == ["events_per_message: 39", "pipeline_p50_ms: 81.23"]
    assert kept(report)["values"]["pipeline_p50_ms"] == 81.23456 and kept(report)["failed"] == {}


def test_a_report_says_that_budgets_were_raised(report: Report, lines: list[str]) -> None:  # P46
    """Among the first lines and in the file."""
    assert any(line.startswith("rate_budgets: raised to") for line in lines)
    report.add({})
    assert "raised" in kept(report)["about"]["rate_budgets"]


def test_a_promise_that_did_not_hold(monkeypatch: pytest.MonkeyPatch, report: Report, lines: list[str]) -> None:
    """What was measured is printed, the reason too, and the run counts as failed."""

    def run(sizes: Any) -> dict[str, float]:
        raise BenchFailed("2 lost", {"lost": 2.0})

    part(monkeypatch, run)
    command.measure(report, "cost", QUICK)
    assert lines[-2:] == ["lost: 2", "failed_cost: 2 lost"] and report.failed == {"cost": "2 lost"}


def test_a_way_that_fails_its_test_gets_no_ratio(monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
    """A failure without measured values leaves no value behind, in print or in the file."""

    def run(sizes: Any) -> dict[str, float]:
        raise BenchFailed("dbos left other rows after kill -9")

    part(monkeypatch, run)
    command.measure(report, "cost", QUICK)
    assert kept(report)["values"] == {} and "cost" in kept(report)["failed"]


def test_a_fault_in_a_group_is_named(monkeypatch: pytest.MonkeyPatch, report: Report, lines: list[str]) -> None:
    """A bug in one part does not hide behind a group of exceptions, and does not end the run."""

    def run(sizes: Any) -> dict[str, float]:
        raise ExceptionGroup("several", [OSError("the disk is full")])

    part(monkeypatch, run)
    command.measure(report, "cost", QUICK)
    assert lines[-1] == "failed_cost: ExceptionGroup: the disk is full"


@pytest.mark.parametrize(("fails", "code"), [(False, 0), (True, 1)])
def test_the_exit_code_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: bool, code: int) -> None:
    """0 if everything held, 1 if anything did not."""
    made = Report(True, lambda line: None, tmp_path / "results.json")
    monkeypatch.setattr(command, "Report", lambda quick, say: made)
    part(monkeypatch, lambda sizes: made.fail("cost", "no") if fails else {"x": 1.0})
    monkeypatch.setattr(made, "add", lambda values: None)
    assert command.main(["--quick", "--only", "cost"]) == code


def test_an_unknown_name_is_refused() -> None:
    """`--only` takes the names of the benchmarks alone."""
    with pytest.raises(SystemExit) as ending:
        command.main(["--only", "speed"])
    assert ending.value.code == 2


def test_every_part_can_be_imported() -> None:
    """The table of parts names modules with a `run`."""
    loaded = {name: importlib.import_module(module) for name, module in command.PARTS.items()}
    assert [name for name, module in loaded.items() if not callable(getattr(module, "run", None))] == []


def test_ones_own_settings_take_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key or a model of the operator's must not turn a benchmark into a bill."""
    for name in ("LLM_API_KEY", "LLM_BASE_URL", "API_PORT", "DESKHAND_STATE_DIR", "DATABASE_URL"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("HOME", "/somewhere")
    forget_own_settings()
    left = {"LLM_API_KEY", "LLM_BASE_URL", "API_PORT", "DESKHAND_STATE_DIR", "DATABASE_URL"} & os.environ.keys()
    assert left == set() and os.environ["HOME"] == "/somewhere"


def test_the_evaluation_of_the_offline_model_must_say_what_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation without accuracy or coverage is a failure that keeps what it has."""
    module = ModuleType(offline_accuracy.MODULE)
    module.run = lambda: {"offline_accuracy": 0.8}  # type: ignore[attr-defined]
    module.__spec__ = importlib.machinery.ModuleSpec(offline_accuracy.MODULE, None)
    monkeypatch.setitem(sys.modules, offline_accuracy.MODULE, module)
    with pytest.raises(BenchFailed, match="offline_coverage") as failure:
        offline_accuracy.run(QUICK)
    assert failure.value.measured == {"offline_accuracy": 0.8}


def test_numbers_are_short_but_whole_ones_are_whole() -> None:
    """Four digits of a measurement, every digit of a count."""
    assert [shown(value) for value in (5000.0, 0.123456, 123.456)] == ["5000", "0.1235", "123.5"]
