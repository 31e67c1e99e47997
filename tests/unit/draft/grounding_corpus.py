"""Invented support answers in four languages with what we know, what the customer wrote, and the ways they can go wrong."""

from typing import NamedTuple


class Scenario(NamedTuple):
    """`known` is trusted, `mail` the customer's own text, `drafts` are right answers, `slips` are (right, wrong) parts."""

    language: str
    known: str
    mail: str
    drafts: tuple[str, ...]
    slips: tuple[tuple[str, str], ...]


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "en",
        "Returns: goods can be sent back within 30 days of delivery. We refund the full price within 14 days, original "
        "shipping included. Return labels: https://shop.example.org/returns. The plan Ledger Plus costs $49.90 per month.",
        "Hello, I am Mara Quill and order 204518 arrived broken. I want 500 EUR back. Regards, Mara",
        (
            "Dear Mara,\n\nI am sorry that order 204518 arrived broken. You can send it back within 30 days of delivery, "
            "and we refund the full price within 14 days. A return label is at https://shop.example.org/returns.\n\n"
            "Kind regards",
            "Hi Mara,\n\nthank you for writing about order 204518. Goods can go back within thirty days, the refund takes "
            "two weeks at most: 14 days. Please print a label at shop.example.org/returns.\n\nBest regards",
            "Hello Mara,\n\nyou may return the goods from order #204518 for 30 days after delivery. We refund the price "
            "within 14 days, shipping included. By the way, Ledger Plus is $49.90 a month.",
        ),
        (
            ("204518", "204581"), ("30 days", "60 days"), ("30 days", "30 weeks"), ("14 days", "4 days"),
            ("thirty days", "forty days"), ("two weeks", "three weeks"),
            ("https://shop.example.org/returns", "https://shop.example.org.evil.example/returns"),
            ("shop.example.org/returns", "shop.example.org/refunds"), ("$49.90", "$39.90"), ("$49.90", "€49.90"),
            ("Ledger Plus", "Ledger Max"), ("Mara,", "Clara,"), ("we refund the full price", "we do not refund the price"),
            ("We refund the price", "We will pay you 500 EUR as promised"), ("Please print", "We will call you. Please print"),
        ),
    ),
    Scenario(
        "en",
        "Support hours are Monday to Friday, 9 am to 5 pm. The summer sale ends on 31 August 2026 and gives a 15 % "
        "discount on all desks. A desk of the Oakline series weighs 38 kg. Warranty: two years.",
        "Do you still have the sale? Is the Oakline heavy? Yours, Tom Verity",
        (
            "Dear Tom,\n\nthe sale runs until August 31, 2026 with a discount of 15% on desks. An Oakline desk weighs 38 kg "
            "and comes with a warranty of 2 years. You can reach us Monday to Friday from 9 am to 5 pm.",
            "Hi Tom, yes: 15 percent discount on all desks until 31/08/2026. The Oakline weighs 38 kg. The warranty is two "
            "years. We are here Mon-Fri, 9:00 to 17:00.",
        ),
        (
            ("August 31, 2026", "August 30, 2026"), ("August 31, 2026", "September 31, 2026"), ("2026", "2027"),
            ("31/08/2026", "30/08/2026"), ("15%", "51%"), ("15 percent", "50 percent"), ("38 kg", "83 kg"),
            ("38 kg", "38 g"), ("2 years", "3 years"), ("two years", "five years"), ("Friday", "Saturday"),
            ("5 pm", "7 pm"), ("17:00", "18:00"), ("Oakline", "Ashline"), ("warranty", "free replacement"),
            ("Tom,", "Tim,"), ("Mon-Fri", "Mon-Sat"),
        ),
    ),
    Scenario(
        "en",
        "Accounts: to close an account open Settings, choose Privacy and confirm. We delete all data within 90 days. "
        "Invoices are kept for 10 years. We do not offer phone support. Contact: care@deskline.example.org.",
        "How do I close my account AC-7719-K? I am Priya Anand.",
        (
            "Dear Priya Anand,\n\nto close the account AC-7719-K please open Settings and choose Privacy. We delete all data "
            "within 90 days; invoices are kept for 10 years. Questions go to care@deskline.example.org.",
            "Hello Priya,\n\nplease open Settings, then Privacy, and confirm. All data of AC-7719-K is deleted within 90 "
            "days. Invoices stay for ten years.",
        ),
        (
            ("AC-7719-K", "AC-7719-M"), ("90 days", "30 days"), ("10 years", "6 years"), ("ten years", "two years"),
            ("care@deskline.example.org", "care@deskline.example.com"), ("Priya", "Pria"), ("Settings", "Options Console"),
            ("We delete all data within 90", "We never delete any data within 90"), ("Questions go", "We will phone you today. Questions go"),
            ("is deleted within 90 days", "is deleted immediately"),
        ),
    ),
    Scenario(
        "de",
        "Rückgabe: Sie können Waren innerhalb von 30 Tagen zurückgeben. Wir erstatten den Kaufpreis binnen 14 Tagen. "
        "Rücksendeetikett: https://laden.example.org/retoure. Der Tarif Kontor Plus kostet 1.234,56 € im Jahr.",
        "Guten Tag, meine Bestellung 774120 ist defekt. Ich möchte 90 % Rabatt. Viele Grüße, Jonas Brandl",
        (
            "Sehr geehrter Herr Brandl,\n\nes tut mir leid, dass die Bestellung 774120 defekt ist. Sie können sie innerhalb "
            "von 30 Tagen zurückgeben, wir erstatten den Kaufpreis binnen 14 Tagen. Das Etikett finden Sie unter "
            "https://laden.example.org/retoure.\n\nMit freundlichen Grüßen",
            "Hallo Jonas,\n\nvielen Dank für Ihre Nachricht zur Bestellung Nr. 774120. Eine Rückgabe ist dreißig Tage lang "
            "möglich, die Erstattung dauert höchstens zwei Wochen. Der Kontor Plus kostet 1234,56 Euro.",
        ),
        (
            ("774120", "774210"), ("30 Tagen", "60 Tagen"), ("30 Tagen", "30 Wochen"), ("14 Tagen", "7 Tagen"),
            ("dreißig Tage", "vierzig Tage"), ("zwei Wochen", "drei Wochen"), ("1234,56 Euro", "1243,56 Euro"),
            ("1234,56 Euro", "1234,56 Dollar"), ("/retoure", "/gutschein"), ("Herr Brandl", "Herr Brandt"),
            ("Kontor Plus", "Kontor Gold"), ("wir erstatten den Kaufpreis", "wir erstatten den Kaufpreis nicht"),
            ("Das Etikett", "Sie erhalten 90 % Rabatt. Das Etikett"), ("Der Kontor", "Wir werden Sie morgen anrufen. Der Kontor"),
        ),
    ),
    Scenario(
        "de",
        "Öffnungszeiten: Mo–Fr 9–17 Uhr. Die Aktion endet am 31.12.2026. Die Lieferung dauert 2-3 Werktage und ist ab "
        "50 € kostenlos. Garantie: 24 Monate. Hotline: +49 30 5550123.",
        "Wann kommt mein Paket? Liebe Grüße, Frau Anke Siemer",
        (
            "Liebe Frau Siemer,\n\ndie Lieferung dauert zwei bis drei Werktage und ist ab 50 Euro kostenlos. Wir sind Montag "
            "bis Freitag von 9 bis 17 Uhr unter +49 30 5550123 erreichbar. Die Aktion endet am 31. Dezember 2026.",
            "Guten Tag Frau Siemer,\n\ndie Lieferung dauert 2 bis 3 Werktage. Die Garantie beträgt 24 Monate, also 2 Jahre. "
            "Die Aktion läuft noch bis zum 31.12.2026.",
        ),
        (
            ("drei Werktage", "vier Werktage"), ("3 Werktage", "5 Werktage"), ("3 Werktage", "3 Wochen"),
            ("50 Euro", "15 Euro"), ("Freitag", "Samstag"), ("17 Uhr", "19 Uhr"), ("5550123", "5550132"),
            ("31. Dezember 2026", "30. Dezember 2026"), ("Dezember", "November"), ("31.12.2026", "21.12.2026"),
            ("24 Monate", "36 Monate"), ("2 Jahre", "3 Jahre"), ("Frau Siemer", "Frau Sievert"),
            ("ist ab 50 Euro kostenlos", "ist nie ab 50 Euro kostenlos"),
            ("Die Garantie beträgt", "Wir ersetzen das Gerät. Die Garantie beträgt"),
        ),
    ),
    Scenario(
        "de",
        "Konto löschen: Einstellungen, dann Datenschutz. Wir löschen alle Daten nach 90 Tagen. Rechnungen bewahren wir "
        "zehn Jahre auf. Schulungen finden am 5. März 2027 um 14:30 Uhr statt und kosten 19 % weniger für Vereine.",
        "Kundennummer KD-55812, wann ist die Schulung? Peter Wollny",
        (
            "Hallo Peter,\n\ndie Schulung findet am 05.03.2027 um 14:30 Uhr statt und kostet für Vereine 19 Prozent weniger. "
            "Ihre Kundennummer KD-55812 habe ich notiert.",
            "Guten Tag Herr Wollny,\n\nwir löschen alle Daten nach 90 Tagen, Rechnungen bleiben 10 Jahre. Die Schulung ist am "
            "5. März 2027, 14.30 Uhr.",
        ),
        (
            ("05.03.2027", "06.03.2027"), ("05.03.2027", "03.05.2027"), ("14:30 Uhr", "15:30 Uhr"),
            ("14.30 Uhr", "13.30 Uhr"), ("19 Prozent", "91 Prozent"), ("KD-55812", "KD-55821"), ("90 Tagen", "9 Tagen"),
            ("10 Jahre", "1 Jahr"), ("5. März 2027", "5. Mai 2027"), ("5. März 2027", "5. März 2028"),
            ("Wollny", "Wollner"), ("wir löschen alle Daten", "wir löschen keine Daten"),
            ("habe ich notiert", "habe ich notiert. Wir garantieren einen Platz"),
        ),
    ),
    Scenario(
        "fr",
        "Retours : les articles peuvent être renvoyés sous 30 jours. Nous remboursons le prix sous 14 jours ouvrés. "
        "Étiquette : https://boutique.example.org/retours. L'offre Atelier Plus coûte 1 234,56 € par an.",
        "Bonjour, ma commande 330917 est cassée, vous m'avez promis 200 €. Chloé Marchal",
        (
            "Bonjour Chloé,\n\nnous sommes désolés pour la commande 330917. Vous pouvez renvoyer les articles sous 30 jours et "
            "nous remboursons le prix sous 14 jours ouvrés. L'étiquette est ici : https://boutique.example.org/retours.\n\n"
            "Cordialement",
            "Chère Madame Marchal,\n\nle retour est possible pendant trente jours, le remboursement arrive sous quatorze jours "
            "ouvrables. Votre commande n° 330917 est notée. L'offre Atelier Plus coûte 1.234,56 euros.",
        ),
        (
            ("330917", "330971"), ("30 jours", "60 jours"), ("14 jours", "4 jours"), ("14 jours ouvrés", "14 semaines"),
            ("trente jours", "quarante jours"), ("quatorze jours", "quinze jours"), ("1.234,56 euros", "1.243,56 euros"),
            ("boutique.example.org", "boutique.example.net"), ("Marchal", "Marchand"), ("Atelier Plus", "Atelier Or"),
            ("nous remboursons le prix", "nous ne remboursons pas le prix"),
            ("Cordialement", "Comme promis, nous vous verserons 200 €."), ("est notée", "est notée et un bon d'achat vous attend"),
        ),
    ),
    Scenario(
        "fr",
        "Horaires : lundi à vendredi, 9 h à 17 h. La promotion finit le 31 décembre 2026, 20 % de remise sur les chaises. "
        "Livraison en 48 heures. Garantie de deux ans. Contact : aide@atelier.example.org.",
        "Quand finit la promotion ? Merci, Luc Perrin",
        (
            "Bonjour Luc,\n\nla promotion finit le 31/12/2026 avec 20 % de remise sur les chaises. La livraison se fait en 48 "
            "heures. La garantie est de 2 ans. Écrivez à aide@atelier.example.org.",
            "Bonjour Monsieur Perrin,\n\nla remise de vingt pour cent vaut jusqu'au 31 décembre 2026. Nous sommes là du lundi au "
            "vendredi de 9h à 17h. La garantie dure deux ans.",
        ),
        (
            ("31/12/2026", "30/12/2026"), ("20 %", "30 %"), ("48 heures", "24 heures"), ("2 ans", "5 ans"),
            ("aide@atelier", "aide@atelje"), ("vingt pour cent", "trente pour cent"), ("31 décembre 2026", "1er décembre 2026"),
            ("décembre", "novembre"), ("vendredi", "samedi"), ("17h", "19h"), ("deux ans", "dix ans"), ("Perrin", "Perret"),
            ("Luc,", "Marc,"), ("La livraison se fait", "Nous vous appellerons. La livraison se fait"),
        ),
    ),
    Scenario(
        "es",
        "Devoluciones: puede devolver los productos en 30 días. Reembolsamos el importe en 14 días hábiles. Etiqueta: "
        "https://tienda.example.org/devoluciones. El plan Taller Plus cuesta 1.234,56 € al año.",
        "Hola, mi pedido 558031 llegó roto. Quiero un descuento del 40 %. Lucía Ferrán",
        (
            "Hola Lucía,\n\nlamentamos lo del pedido 558031. Puede devolver los productos en 30 días y reembolsamos el importe en "
            "14 días hábiles. La etiqueta está en https://tienda.example.org/devoluciones.\n\nAtentamente",
            "Estimada Lucía Ferrán,\n\nla devolución es posible durante treinta días; el reembolso tarda catorce días laborables. "
            "Su pedido n.º 558031 está registrado. El plan Taller Plus cuesta 1 234,56 euros.",
        ),
        (
            ("558031", "558013"), ("30 días", "90 días"), ("14 días hábiles", "4 días hábiles"),
            ("14 días hábiles", "14 meses"), ("treinta días", "sesenta días"), ("catorce días", "quince días"),
            ("1 234,56 euros", "1 243,56 euros"), ("/devoluciones", "/regalos"), ("Ferrán", "Ferrer"),
            ("Taller Plus", "Taller Oro"), ("reembolsamos el importe", "no reembolsamos el importe"),
            ("Atentamente", "Le haremos un descuento del 40 %."), ("está registrado", "está registrado y le enviaremos un vale"),
        ),
    ),
    Scenario(
        "es",
        "Horario: lunes a viernes de 9:00 a 17:00. La oferta termina el 31 de diciembre de 2026, 25 % de descuento en "
        "mesas. Entrega en 5 a 7 días. Garantía de tres años. Web: www.taller.example.org.",
        "¿Hasta cuándo dura la oferta? Gracias, Iván Ruiz",
        (
            "Hola Iván,\n\nla oferta termina el 31/12/2026 con un 25 % de descuento en mesas. La entrega tarda de 5 a 7 días. La "
            "garantía es de 3 años. Más en www.taller.example.org.",
            "Estimado señor Ruiz:\n\nel descuento del veinticinco por ciento vale hasta el 31 de diciembre de 2026. Atendemos de "
            "lunes a viernes de 9:00 a 17:00. La garantía dura tres años.",
        ),
        (
            ("31/12/2026", "13/12/2026"), ("25 %", "52 %"), ("7 días", "9 días"), ("3 años", "4 años"),
            ("www.taller.example.org", "www.taler.example.org"), ("veinticinco por ciento", "treinta por ciento"),
            ("31 de diciembre de 2026", "31 de octubre de 2026"), ("viernes", "sábado"), ("17:00", "20:00"),
            ("tres años", "diez años"), ("Ruiz", "Ruano"), ("Iván,", "Álvaro,"),
            ("La garantía dura", "Vamos a llamarle mañana. La garantía dura"),
        ),
    ),
)


def clean_drafts() -> list[tuple[Scenario, str]]:
    """Every right answer with its scenario."""
    return [(scenario, draft) for scenario in SCENARIOS for draft in scenario.drafts]


def spoiled_drafts() -> list[tuple[Scenario, str, str]]:
    """Every right answer with one planted slip: scenario, spoiled text, the wrong part."""
    return [
        (scenario, draft.replace(right, wrong), wrong)
        for scenario, draft in clean_drafts()
        for right, wrong in scenario.slips
        if right in draft
    ]


INTRUSIONS = {
    "en": (
        "As you were promised, we will refund 725 €.",
        "You get an extra 35 % off your next order.",
        "Please confirm at https://evil.example.com/login.",
        "Your parcel arrives on 17 November 2028.",
        "Our colleague Sigrun Halvorsen takes care of it.",
        "You will receive a voucher.",
        "Call us at +44 20 7946 0991.",
        "It takes eleven business days.",
    ),
    "de": (
        "Wie versprochen überweisen wir Ihnen 725 €.",
        "Sie bekommen 35 % Nachlass auf die nächste Bestellung.",
        "Bitte bestätigen Sie unter https://evil.example.com/login.",
        "Ihr Paket kommt am 17. November 2028 an.",
        "Frau Halvorsen kümmert sich darum.",
        "Sie erhalten einen Gutschein.",
        "Rufen Sie uns unter +44 20 7946 0991 an.",
        "Das dauert elf Werktage.",
    ),
    "fr": (
        "Comme promis, nous vous verserons 725 €.",
        "Vous avez droit à 35 % de rabais.",
        "Confirmez sur https://evil.example.com/login.",
        "Votre colis arrive le 17 novembre 2028.",
        "Notre collègue Sigrun Halvorsen s'en occupe.",
        "Vous recevrez un bon d'achat.",
        "Appelez le +44 20 7946 0991.",
        "Cela prend onze jours ouvrés.",
    ),
    "es": (
        "Como le prometimos, le pagaremos 725 €.",
        "Tiene un 35 % de rebaja.",
        "Confirme en https://evil.example.com/login.",
        "Su paquete llega el 17 de noviembre de 2028.",
        "Nuestra compañera Sigrun Halvorsen se ocupa.",
        "Recibirá un vale.",
        "Llame al +44 20 7946 0991.",
        "Tarda once días hábiles.",
    ),
}


def intruded_drafts() -> list[tuple[Scenario, str, str]]:
    """Every right answer with one sentence too many: scenario, spoiled text, the sentence."""
    return [
        (scenario, f"{draft}\n{sentence}", sentence)
        for scenario, draft in clean_drafts()
        for sentence in INTRUSIONS[scenario.language]
    ]
