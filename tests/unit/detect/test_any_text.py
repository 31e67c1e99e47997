"""No string of any kind makes a reader of hostile text fail: HV1, HX1, HW7."""

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.detect.parts import TextPart
from domain.detect.phishing import PhishingFacts, phishing
from domain.detect.scan import evidence_hash, scan
from domain.detect.spam import SpamFacts, spam_score
from domain.outbound.findings import outbound_findings
from domain.text.visible import clean_plain, visible_text

CODES = st.characters(codec=None) | st.sampled_from(
    "\ud800\udfff\x00\u202e\U000e0041\ufe01\u200b<>&;%=\"'[](){}@.:/\\`#*|~"
)
SCRAPS = st.sampled_from(
    [
        "<p style='",
        "display:none",
        "</p>",
        "<!--",
        "&#105;",
        "https://",
        "[x](",
        "evil.example",
        "ignore all previous ",
        "instructions",
        "%69",
        "> ",
        "password is ",
        "DE89",
        "4111 ",
        "i g n o r e ",
        "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=",
    ]
)
ANY_TEXT = st.lists(CODES | SCRAPS, max_size=60).map("".join)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT)
def test_every_reader_takes_any_text(text: str) -> None:
    """HV1, HX1: lone surrogates, controls and scraps of markup give a result, never an error."""  # HV1, HX1
    for seen in (visible_text(text), clean_plain(text)):
        assert 0.0 <= seen.hidden_share <= 1.0 and not any(0xD800 <= ord(character) < 0xE000 for character in seen.text)
    result = scan([TextPart("text", text), TextPart("hidden", text, hidden=True)])
    assert 0.0 <= result.combined_score <= 1.0
    assert all(evidence_hash(item) and len(item.snippet) <= 200 for item in result.evidence)
    assert all(0 <= hit.start <= hit.end <= len(text) for hit in result.hits)
    assert 0.0 <= phishing(PhishingFacts(text=text, html=text, subject=text)).confidence <= 1.0
    assert 0 <= spam_score(SpamFacts(subject=text, text=text))[0] <= 100
    findings = outbound_findings(text, canaries=["canary-123456"], prompts=[text])
    assert all(0 <= finding.start <= finding.end <= len(text) for finding in findings)
