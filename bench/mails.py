"""Invented mail to measure with: plain questions from different people, and the same with a picture attached."""

import base64
import random
import uuid

MAILBOX = "support@example.org"
LINE = 76


def plain_mail(number: int) -> bytes:
    """A short question. Everybody writes once, so that no thread, budget or coalescing joins two of them."""
    text = (
        f"Hello,\r\n\r\nI ordered a reading lamp on Monday, order {40_000 + number}, and heard nothing since.\r\n"
        f"When will it arrive, and can I still change the address?\r\n\r\nRegards,\r\nAnna Berg {number}\r\n"
    )
    return (_head(number) + "Content-Type: text/plain; charset=utf-8\r\n\r\n" + text).encode()


def large_mail(number: int, size: int) -> bytes:
    """The same question with a picture attached, `size` bytes in all (at most one line less)."""
    question = plain_mail(number).partition(b"\r\n\r\n")[2].decode()
    boundary = "part-of-a-benchmark"
    head = (
        f'{_head(number)}Content-Type: multipart/mixed; boundary="{boundary}"\r\n\r\n--{boundary}\r\n'
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{question}\r\n--{boundary}\r\n"
        "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        'Content-Disposition: attachment; filename="lamp.png"\r\n\r\n'
    )
    tail = f"\r\n--{boundary}--\r\n"
    return (head + _picture(number, size - len(head.encode()) - len(tail)) + tail).encode()


def _head(number: int) -> str:
    person = f"anna.berg.{number}.{uuid.uuid4().hex[:8]}@customer.example"
    return (
        f"From: Anna Berg <{person}>\r\nTo: {MAILBOX}\r\nSubject: Where is my reading lamp?\r\n"
        f"Message-ID: <{uuid.uuid4()}@customer.example>\r\n"
        "Date: Mon, 30 Nov 2026 20:00:00 +0000\r\nMIME-Version: 1.0\r\n"
    )


def _picture(number: int, room: int) -> str:
    """Base64 lines that fill `room` characters; random, so that no two pictures share a blob."""
    lines = max(room // (LINE + 2), 1)
    magic = b"\x89PNG\r\n\x1a\n"
    content = magic + random.Random(number).randbytes(lines * LINE // 4 * 3 - len(magic))
    coded = base64.b64encode(content).decode()
    return "\r\n".join(coded[start : start + LINE] for start in range(0, len(coded), LINE))
