"""The invented mails that fill the house: different words, so that a search has something to tell apart."""

import random
from email.message import EmailMessage

FIRST = "Anna Ben Clara Deniz Emil Fatma Greta Hugo Ines Jonas Karla Lars Mira Nils Olga Paul Rosa Sami Tilda".split()
LAST = "Berg Sommer Vogt Demir Krause Lind Maier Novak Okafor Peters Quast Richter Sato Thiel Urban Weber".split()
THINGS = (
    "reading lamp|walnut table|office chair|wool blanket|tea kettle|wall clock|garden hose|desk fan|coat rack"
    "|book shelf"
).split("|")
MATTERS = (
    "arrived broken|has not arrived|is the wrong colour|needs an invoice|can be returned|was charged twice"
).split("|")
FILLERS = (
    "Please tell me what happens next.|I wrote last week and heard nothing.|The parcel stood in the rain.|"
    "My neighbour took it in.|I paid by transfer.|The label was torn off.|We move house on Friday.|"
    "Could you send the receipt again?|A photograph is easy to make if you need one.|Thank you for your patience."
).split("|")


def letter(to: str, conversation: int, number: int) -> bytes:
    """Mail `number` (from 0) of a conversation, an answer to the one before; a third of them have HTML as well."""
    rolls = random.Random(conversation * 1_000 + number)
    topic = random.Random(conversation)
    first, last = topic.choice(FIRST), topic.choice(LAST)
    thing, matter, order = topic.choice(THINGS), topic.choice(MATTERS), 100_000 + conversation
    message = EmailMessage()
    message["From"] = f"{first} {last} <{first}.{last}.{conversation}@customer.example>"
    message["To"] = to
    message["Subject"] = f"{'Re: ' if number else ''}The {thing} {matter} ({order})"
    message["Message-ID"] = f"<{conversation}.{number}@customer.example>"
    if number:
        message["In-Reply-To"] = f"<{conversation}.{number - 1}@customer.example>"
        message["References"] = f"<{conversation}.0@customer.example> <{conversation}.{number - 1}@customer.example>"
    message["Date"] = "Mon, 30 Nov 2026 20:00:00 +0000"
    said = " ".join(rolls.sample(FILLERS, rolls.randint(2, 6)))
    message.set_content(f"Hello,\n\nthe {thing} of order {order} {matter}. {said}\n\nRegards,\n{first} {last}\n")
    if rolls.random() < 1 / 3:
        html = f"<html><body><p>Hello,</p><p>the <b>{thing}</b> of order {order} {matter}. {said}</p></body></html>"
        message.add_alternative(html, subtype="html")
    return message.as_bytes()
