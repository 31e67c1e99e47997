"""Makes `requirements.md`: which test shows which requirement of missions, read from the comments in the tests.

Run `python -m tests.missions.requirements_table` after a change; a test compares the file with what it would be.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("requirements.md")
NUMBERS = (
    *(f"M{n}" for n in range(1, 99)), "M14a", "M37a", "M47a", "M54a", *(f"M{n}" for n in range(101, 139)), "M134a",
    "M135a",
)  # fmt: skip
EQUIVALENTS = {
    "M82": "no provider keeps a conversation: every answer is asked for with a whole, fresh seat (see M84)",
    "M83": "as M82: other conversations at a provider are never looked at",
    "M85": "as M82: nothing lies between two calls that a restart could break",
}
NAMED = re.compile(r"\bM\d{1,3}a?\b")


def shown() -> dict[str, list[str]]:
    """Requirement to the tests whose comments cite it."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text()
        if "# M" not in text:
            continue
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
                body = lines[node.lineno - 1 : node.end_lineno]
                cited = {m for line in body if line.strip().startswith("# M") for m in NAMED.findall(line)}
                for number in cited & set(NUMBERS):
                    found[number].append(f"{file.relative_to(ROOT / 'tests').with_suffix('')}::{node.name}")
    return found


def table() -> str:
    """The whole file."""
    tests = shown()
    order = sorted(NUMBERS, key=lambda m: (int(re.sub(r"\D", "", m)), m))
    rows = [f"| {m} | {_cell(m, tests)} |" for m in order]
    return "\n".join(["# Requirements of missions and the tests that show them", "", "| | shown by |", "|---|---|",
                      *rows, ""])  # fmt: skip


def _cell(number: str, tests: dict[str, list[str]]) -> str:
    if number in EQUIVALENTS:
        return EQUIVALENTS[number]
    return "<br>".join(f"`{name}`" for name in sorted(tests.get(number, []))) or "**open**"


def missing() -> list[str]:
    """Requirements without a test and without an equivalent."""
    tests = shown()
    return [m for m in NUMBERS if m not in tests and m not in EQUIVALENTS]


if __name__ == "__main__":
    TABLE.write_text(table())
    print("open:", ", ".join(missing()) or "none")
