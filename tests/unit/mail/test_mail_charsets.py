"""Charsets: declared, misdeclared, unknown and missing (MI4, C23, RS-28)."""

import pytest

from domain.mail.charsets import codec_for, decode_bytes
from tests.unit.mail.mail_corpus import CORPUS, mail, parsed

GERMAN = "Guten Tag, leider ist das Paket für Frau Müller noch nicht da. Können Sie bitte prüfen, wo es ist? Grüße"
FRENCH = "Bonjour, je n'ai pas encore reçu ma commande passée la semaine dernière. Où est-elle ? Merci, Hélène"
POLISH = "Dzień dobry, nie otrzymałem jeszcze mojego zamówienia. Kiedy zostanie wysłane? Dziękuję, Łukasz"
TURKISH = "Merhaba, siparişim henüz elime ulaşmadı. Ne zaman teslim edileceğini öğrenebilir miyim? Teşekkürler"
RUSSIAN = "Здравствуйте, я ещё не получил свой заказ. Подскажите, пожалуйста, когда он будет доставлен?"
GREEK = "Καλημέρα, δεν έχω λάβει ακόμα την παραγγελία μου. Πότε θα παραδοθεί; Ευχαριστώ πολύ."
CHINESE = "您好，我还没有收到我的订单。请问什么时候可以送到？非常感谢您的帮助。订单号是四七一一，请尽快回复我。"
TAIWANESE = "您好，我還沒有收到我的訂單。請問什麼時候可以送到？非常感謝您的幫助。訂單號是四七一一，請儘快回覆我。"
JAPANESE = "こんにちは、注文した商品がまだ届いていません。いつ配達されるか教えていただけますか？よろしくお願いします。"
KOREAN = (
    "안녕하세요, 아직 주문한 상품을 받지 못했습니다. 언제 배송되는지 알려주시겠어요? 감사합니다. 번호는 사칠일일입니다."
)


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (GERMAN, "cp1252"),
        (FRENCH, "latin-1"),
        (POLISH, "cp1250"),
        (TURKISH, "cp1254"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (CHINESE, "gb2312"),
        (TAIWANESE, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (KOREAN, "euc-kr"),
    ],
)
def test_undeclared_text_is_recognised_by_its_writing(text: str, charset: str) -> None:
    """Without a label, 64 bytes or more are enough to find the charset; the text comes out unchanged (MI4, C23)."""
    found = decode_bytes(text.encode(charset))
    assert found.text == text
    assert found.replacements == 0


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("cp-850", "cp850"),
        ("ks_c_5601", "cp949"),
        ("KS_C_5601-1987", "cp949"),
        ("iso-8859-8-i", "iso8859_8"),
        ("ISO-8859-1", "cp1252"),
        ("latin1", "cp1252"),
        ("Windows1252", "cp1252"),
        ("gb2312", "gb18030"),
        ("Shift-JIS", "cp932"),
        ('"utf-8"', "utf_8"),
        ("unicode-1-1-utf-7", "utf_7"),
        ("x-mac-roman", "mac_roman"),
        ("koi8-u", "koi8_u"),
    ],
)
def test_labels_of_real_mail_lead_to_a_codec(label: str, codec: str) -> None:
    """The alias table knows the spellings that mailers use (MI4)."""
    assert codec_for(label) == codec


@pytest.mark.parametrize(
    "label", ["hex", "base64", "rot13", "idna", "punycode", "unicode_escape", "zlib", "x" * 500, "\x00"]
)
def test_codecs_that_are_no_charset_are_refused(label: str) -> None:
    """A label cannot reach a Python codec that unpacks, escapes or loops (MI4)."""
    assert codec_for(label) == ""
    assert decode_bytes(b"abc \\u0041 =41", label).text == "abc \\u0041 =41"


@pytest.mark.parametrize("label", ["iso-8859-1", "us-ascii", "windows-1252", "x-unknown", ""])
def test_utf8_under_a_wrong_label_is_read_as_utf8(label: str) -> None:
    """UTF-8 labelled as a one-byte charset, as an unknown one or not at all stays readable (RS-28)."""
    found = decode_bytes("Grüße aus Köln".encode(), label)
    assert (found.text, found.charset) == ("Grüße aus Köln", "utf-8")


def test_latin1_under_the_label_utf8_is_read_as_latin1() -> None:
    """A wrong UTF-8 label does not cost the umlauts (RS-28)."""
    assert decode_bytes("Grüße".encode("latin-1"), "utf-8") == ("Grüße", "windows-1252", 0)


def test_one_broken_character_does_not_change_the_charset() -> None:
    """Long UTF-8 text with one bad byte stays UTF-8, and the loss is counted (MI4)."""
    found = decode_bytes("Grüße, schöne Grüße".encode() + b"\xff", "utf-8")
    assert (found.text, found.charset, found.replacements) == ("Grüße, schöne Grüße\ufffd", "utf-8", 1)


def test_short_undeclared_bytes_fall_back_to_windows_1252() -> None:
    """Under 64 bytes nothing is guessed; what windows-1252 does not know is replaced and counted (MI4)."""
    assert decode_bytes(b"caf\xe9 \x81") == ("café \ufffd", "windows-1252", 1)


def test_utf7_is_read_only_if_declared() -> None:
    """UTF-7 can smuggle markup past every filter, so it needs a label (MI4)."""
    assert decode_bytes(b"+ADw-b+AD4-").text == "+ADw-b+AD4-"
    assert decode_bytes(b"+ADw-b+AD4-", "utf-7").text == "<b>"


def test_undeclared_iso_2022_is_seen_by_its_escapes() -> None:
    """Japanese seven-bit mail without a label is still Japanese (MI4)."""
    assert decode_bytes("注文".encode("iso2022_jp")).text == "注文"


@pytest.mark.parametrize(
    ("name", "shown", "charset"),
    [
        ("gb2312", "您好，我还没有收到我的订单。", "gb18030"),
        ("iso-2022-jp", "注文はどこですか。", "iso-2022-jp"),
        ("windows-1258", "Đơn hàng", "windows-1258"),
        ("undeclared latin-1", "Où est ma commande ? Hélène", "windows-1252"),
    ],
)
def test_foreign_bodies_are_readable(name: str, shown: str, charset: str) -> None:
    """The four bodies of C23 are readable, and the charset used is recorded."""
    mail_read = parsed(CORPUS[name])
    assert mail_read.text == shown
    assert mail_read.decoded_as == (charset,)


def test_a_charset_in_html_counts_if_the_header_has_none() -> None:
    """`<meta charset>` is used for an HTML part without a charset parameter (MI4)."""
    body = '<meta charset="iso-8859-2"><p>Zażółć gęślą</p>'.encode("iso-8859-2")
    assert parsed(mail(body, b"Content-Type: text/html")).text == "Zażółć gęślą"


def test_nul_and_lone_surrogates_never_leave_the_parser() -> None:
    """What Postgres and JSON cannot hold is gone from every text (MI2)."""
    raw = mail(b"a\x00b +2AA-", b"Content-Type: text/plain; charset=utf-7", subject=b"=?utf-7?q?x+2AA-y=00z?=")
    shown = parsed(raw)
    assert shown.text == "ab \ufffd"
    shown.model_dump_json().encode("utf-8")
    assert "\x00" not in shown.subject
