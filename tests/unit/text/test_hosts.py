"""Hosts are compared as A-labels and disguises are named: HL4, HS4."""

import pytest

from domain.text.hosts import has_public_suffix, lookalike_of, organisational_domain, parse_host, u_label


@pytest.mark.parametrize(
    ("raw", "name", "defects"),
    [
        ("Shop.Example", "shop.example", ()),
        ("m\u00fcnchen.de", "xn--mnchen-3ya.de", ()),
        ("shop.example.", "shop.example", ("trailing_dot",)),
        ("shop\u3002example", "shop.example", ()),
        ("shop\u200b.example", "shop.example", ("invisible_characters",)),
        ("sh\u043ep.example", "xn--shp-ted.example", ("mixed_scripts",)),
        ("xn--shp-ted.example", "xn--shp-ted.example", ("mixed_scripts",)),
        ("127.0.0.1", "127.0.0.1", ("ip_host",)),
        ("2130706433", "2130706433", ("ip_host",)),
        ("0x7f.1", "0x7f.1", ("ip_host",)),
        ("[::1]", "::1", ("ip_host",)),
        ("localhost", "localhost", ("single_label",)),
        ("xn--shp-s8d.example", "xn--shp-s8d.example", ("unreadable_host",)),
        ("ev%69l.example", "", ("percent_encoded_host", "unreadable_host")),
        ("-x.example", "", ("unreadable_host",)),
        ("a b.example", "", ("control_characters", "unreadable_host")),
        ("evil\\x.example", "", ("control_characters", "unreadable_host")),
    ],
)
def test_disguises_of_hosts_are_named(raw: str, name: str, defects: tuple[str, ...]) -> None:
    """HL4: userless tricks in the host itself; a clean host has no defect."""  # HL4
    host = parse_host(raw)
    assert host.name == name and host.defects == defects


def test_organisational_domains_and_suffixes() -> None:
    """HS2: the bundled suffix list decides; reserved test names count as suffixes."""  # HS2
    assert organisational_domain("a.b.shop.co.uk") == "shop.co.uk"
    assert organisational_domain("www.shop.example") == "shop.example"
    assert has_public_suffix("evil.example") and has_public_suffix("x.de") and not has_public_suffix("file.pdf")
    assert u_label("xn--mnchen-3ya.de") == "m\u00fcnchen.de"


OURS = ("deskhand.example", "shop.example")


@pytest.mark.parametrize(
    ("host", "imitated"),
    [
        ("deskhand.example", ""),
        ("www.deskhand.example", ""),
        ("desk-hand.example", "deskhand.example"),
        ("deskhamd.example", "deskhand.example"),
        ("dekshand.example", "deskhand.example"),
        ("deskhand.example.evil.test", "deskhand.example"),
        ("deskhand-login.evil.test", "deskhand.example"),
        ("xn--dskhand-7gg.example", "deskhand.example"),
        ("deskhand.test", ""),
        ("evilshop.example", ""),
        ("shop.example.evil.test", "shop.example"),
        ("workbench.example", ""),
    ],
)
def test_lookalikes(host: str, imitated: str) -> None:
    """HS4: swapped, added and foreign letters, our name inside a stranger's host or beside a lure."""  # HS4
    assert lookalike_of(host, OURS, near=True) == imitated


def test_big_names_are_matched_strictly() -> None:
    """HS4: a firm whose name is one letter from a big one is no look-alike, one that reads the same is."""  # HS4
    assert lookalike_of("amazone.example", ["amazon.com"]) == ""
    assert lookalike_of("arnazon.example", ["amazon.com"]) == "amazon.com"
