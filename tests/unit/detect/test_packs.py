"""The language packs: enough phrasings, no false quarantine, every own attack seen: HD2, HD3, HM-06, HM-07, P55."""

import pytest

from domain.detect.families import FLAGGED_MIN, QUARANTINE_MIN, Band, Family
from domain.detect.packs import LANGUAGES, PACKS
from domain.detect.parts import TextPart
from domain.detect.patterns import matcher, phrase_words
from domain.detect.phrases import pattern_of
from domain.detect.scan import scan
from domain.text.fold import fold
from tests.unit.detect.corpus import LANGUAGES as JUDGED
from tests.unit.detect.corpus import lines

PATTERN_FAMILIES = (Family.OVERRIDE, Family.RE_ROLE, Family.TEMPLATE_FORGERY, Family.AUTHORITY, Family.EXFILTRATION)


def score(line: str) -> float:
    """The combined score of one body."""
    return scan([TextPart("text", line)]).combined_score


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("family", PATTERN_FAMILIES)
def test_each_family_has_six_phrasings(language: str, family: Family) -> None:
    """HD2: at least six phrasings for each family and language."""  # HD2
    pack = next(pack for pack in PACKS if pack.language == language)
    assert sum(len(phrase.forms) for phrase in pack.phrases if phrase.family is family) >= 6


def test_packs_cover_the_first_four_languages() -> None:
    """P55, HD2: English, German, French and Spanish."""  # P55, HD2
    assert frozenset(JUDGED) == LANGUAGES


@pytest.mark.parametrize("language", JUDGED)
def test_there_are_a_hundred_benign_neighbours(language: str) -> None:
    """HD2: at least 100 lines of support language, each once."""  # HD2
    assert len(set(lines("benign", language))) == len(lines("benign", language)) >= 100


@pytest.mark.parametrize(
    ("language", "line"), [(language, line) for language in JUDGED for line in lines("benign", language)]
)
def test_no_benign_line_is_quarantined(language: str, line: str) -> None:
    """HM-07, P55: ordinary support language never reaches 0.70, in any language."""  # HM-07, P55
    assert score(line) < QUARANTINE_MIN


@pytest.mark.parametrize("language", JUDGED)
def test_few_benign_lines_are_flagged(language: str) -> None:
    """HV section 12: of lines chosen for their trigger words, at most one in twenty costs autonomy."""  # HD4
    judged = [line for line in lines("benign", language) if score(line) >= FLAGGED_MIN]
    assert len(judged) <= len(lines("benign", language)) / 20, judged


@pytest.mark.parametrize("language", JUDGED)
def test_strong_phrases_appear_in_no_benign_line(language: str) -> None:
    """HD3: a phrasing that lives in support language must not be strong."""  # HD3
    evidence = [item for line in lines("benign", language) for item in scan([TextPart("text", line)]).evidence]
    assert max((item.weight for item in evidence), default=0.0) < 0.85


@pytest.mark.parametrize(
    ("language", "line"), [(language, line) for language in JUDGED for line in lines("attack", language)]
)
def test_every_attack_line_is_flagged(language: str, line: str) -> None:
    """HM-06: our own attack lines are flagged or higher, and name their language where they have one."""  # HM-06
    result = scan([TextPart("text", line)])
    assert result.combined_score >= FLAGGED_MIN


@pytest.mark.parametrize("language", JUDGED)
def test_attacks_stay_hits_in_a_whole_mail(language: str) -> None:
    """HM-06: an order between two paragraphs of ordinary mail is seen as well as alone."""  # HM-06
    benign = "\n".join(lines("benign", language)[30:33])
    for line in lines("attack", language):
        assert score(f"{benign}\n\n{line}\n\n{benign}") >= FLAGGED_MIN, line


def test_detector_names_are_unique_and_speak() -> None:
    """HD6: an id names language, family and phrase once."""  # HD6
    names = [detector.id for detector in matcher().detectors]
    assert len(names) == len(set(names))
    assert all(detector.id.split(".")[1] == detector.phrase.family for detector in matcher().detectors)


def test_phrase_language() -> None:
    """HD2: lists, choices, optional words, gaps and endings translate into one pattern; unknown lists are refused."""
    import re2

    pattern = re2.compile(pattern_of("{verb} [all] *1 (old|very new) thing~", {"verb": ("drop", "throw away")}))
    for text in ("drop old thing ", "throw away all my very new things", "drop | > all - old thingummy"):
        assert pattern.fullmatch(text), text
    for text in ("dropold thing", "drop a b old thing", "drop new thing", "old thing"):
        assert pattern.fullmatch(text) is None, text
    with pytest.raises(KeyError):
        pattern_of("{missing}", {})


def test_vocabulary_is_folded() -> None:
    """HX3: swaps of digits are tried on words without accents."""  # HX3
    words = phrase_words()
    assert {"ignore", "anweisungen", "consignes", "instrucciones"} <= words and all(
        fold(word) == word for word in words
    )


def test_strong_band_is_one_hit_from_quarantine_and_others_are_not() -> None:
    """HD4, P55: one weak or medium hit never quarantines."""  # HD4
    from domain.detect.families import WEIGHTS

    assert WEIGHTS[Band.MEDIUM] < QUARANTINE_MIN <= WEIGHTS[Band.STRONG] and WEIGHTS[Band.WEAK] >= FLAGGED_MIN
