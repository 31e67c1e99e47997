"""A table of questions and answers: each row is an entry titled with its question."""

import csv
import io
from collections.abc import Sequence
from typing import Final

from adapters.importing.limits import ROWS, TEXT_CHARACTERS, FileRefused
from domain.knowledge.blocks import Block, ReadDocument

DELIMITERS: Final = ",;\t|"
QUESTIONS: Final = frozenset({"question", "questions", "q", "frage", "fragen", "pregunta", "title", "titel", "titre"})
ANSWERS: Final = frozenset(
    {"answer", "answers", "a", "antwort", "antworten", "réponse", "reponse", "respuesta", "content", "text", "body"}
)
_FIELD_MOST: Final = 1024 * 1024


def read_csv(text: str) -> ReadDocument:
    """The rows of a CSV file (RFC 4180; comma, semicolon, tab or bar). Raises FileRefused."""
    if len(text) > TEXT_CHARACTERS:
        raise FileRefused("too_much_text")
    csv.field_size_limit(_FIELD_MOST)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if any(map(str.strip, row))]
    except csv.Error:
        raise FileRefused("broken_file") from None
    if len(rows) > ROWS:
        raise FileRefused("too_many_rows")
    question, answer, first = _columns(rows)
    return _document(rows, question, answer, first)


def _document(rows: Sequence[Sequence[str]], question: int, answer: int, first: int) -> ReadDocument:
    blocks, without = [], 0
    for row in rows[first:]:
        asked, said = _cell(row, question), _cell(row, answer)
        if said:
            blocks.append(Block(said, (asked,) if asked else (), opens=True))
        else:
            without += 1
    return ReadDocument("", "csv", tuple(blocks), (f"rows_without_answer:{without}",) if without else ())


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _delimiter(text: str) -> str:
    """The sign that parts the first lines most evenly."""
    lines = [line for line in text.split("\n", 20)[:20] if line.strip()]
    return max(DELIMITERS, key=lambda sign: (sum(sign in line for line in lines), lines[0].count(sign) if lines else 0))


def _columns(rows: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """Columns of question and answer, and the first row that is no header; without a header two columns are needed."""
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    question = next((place for place, cell in enumerate(head) if cell in QUESTIONS), None)
    answer = next((place for place, cell in enumerate(head) if cell in ANSWERS and place != question), None)
    if question is not None and answer is not None:
        return question, answer, 1
    if len(head) == 2:
        return 0, 1, 0
    raise FileRefused("no_question_column")
