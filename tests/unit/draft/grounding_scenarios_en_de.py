"""Invented cases in en and de: what we know, the mail, right answers and ways to get them wrong."""

from grounding_scenario import Scenario

ENGLISH_GERMAN: tuple[Scenario, ...] = (
    Scenario(
        "en",
        "Returns: goods can be sent back within 30 days of delivery. We refund the full price within 14 days,"
        " original shipping included. Return labels: https://shop.example.org/returns. The plan Ledger Plus "
        "costs $49.90 per month.",
        "Hello, I am Mara Quill and order 204518 arrived broken. I want 500 EUR back. Regards, Mara",
        (
            "Dear Mara,\n\n"
            "I am sorry that order 204518 arrived broken. You can send it back within 30 days of delivery, "
            "and we refund the full price within 14 days. A return label is at "
            "https://shop.example.org/returns.\n\n"
            "Kind regards",
            "Hi Mara,\n\n"
            "thank you for writing about order 204518. Goods can go back within thirty days, the refund takes"
            " two weeks at most: 14 days. Please print a label at shop.example.org/returns.\n\n"
            "Best regards",
            "Hello Mara,\n\n"
            "you may return the goods from order #204518 for 30 days after delivery. We refund the price "
            "within 14 days, shipping included. By the way, Ledger Plus is $49.90 a month.",
        ),
        (
            ("204518", "204581"),
            ("30 days", "60 days"),
            ("30 days", "30 weeks"),
            ("14 days", "4 days"),
            ("thirty days", "forty days"),
            ("two weeks", "three weeks"),
            ("https://shop.example.org/returns", "https://shop.example.org.evil.example/returns"),
            ("shop.example.org/returns", "shop.example.org/refunds"),
            ("$49.90", "$39.90"),
            ("$49.90", "€49.90"),
            ("Ledger Plus", "Ledger Max"),
            ("Mara,", "Clara,"),
            ("we refund the full price", "we do not refund the price"),
            ("We refund the price", "We will pay you 500 EUR as promised"),
            ("Please print", "We will call you. Please print"),
        ),
    ),
    Scenario(
        "en",
        "Support hours are Monday to Friday, 9 am to 5 pm. The summer sale ends on 31 August 2026 and gives a"
        " 15 % discount on all desks. A desk of the Oakline series weighs 38 kg. Warranty: two years.",
        "Do you still have the sale? Is the Oakline heavy? Yours, Tom Verity",
        (
            "Dear Tom,\n\n"
            "the sale runs until August 31, 2026 with a discount of 15% on desks. An Oakline desk weighs 38 "
            "kg and comes with a warranty of 2 years. You can reach us Monday to Friday from 9 am to 5 pm.",
            "Hi Tom, yes: 15 percent discount on all desks until 31/08/2026. The Oakline weighs 38 kg. The "
            "warranty is two years. We are here Mon-Fri, 9:00 to 17:00.",
        ),
        (
            ("August 31, 2026", "August 30, 2026"),
            ("August 31, 2026", "September 31, 2026"),
            ("2026", "2027"),
            ("31/08/2026", "30/08/2026"),
            ("15%", "51%"),
            ("15 percent", "50 percent"),
            ("38 kg", "83 kg"),
            ("38 kg", "38 g"),
            ("2 years", "3 years"),
            ("two years", "five years"),
            ("Friday", "Saturday"),
            ("5 pm", "7 pm"),
            ("17:00", "18:00"),
            ("Oakline", "Ashline"),
            ("warranty", "free replacement"),
            ("Tom,", "Tim,"),
            ("Mon-Fri", "Mon-Sat"),
        ),
    ),
    Scenario(
        "en",
        "Accounts: to close an account open Settings, choose Privacy and confirm. We delete all data within "
        "90 days. Invoices are kept for 10 years. We do not offer phone support. Contact: "
        "care@deskline.example.org.",
        "How do I close my account AC-7719-K? I am Priya Anand.",
        (
            "Dear Priya Anand,\n\n"
            "to close the account AC-7719-K please open Settings and choose Privacy. We delete all data "
            "within 90 days; invoices are kept for 10 years. Questions go to care@deskline.example.org.",
            "Hello Priya,\n\n"
            "please open Settings, then Privacy, and confirm. All data of AC-7719-K is deleted within 90 "
            "days. Invoices stay for ten years.",
        ),
        (
            ("AC-7719-K", "AC-7719-M"),
            ("90 days", "30 days"),
            ("10 years", "6 years"),
            ("ten years", "two years"),
            ("care@deskline.example.org", "care@deskline.example.com"),
            ("Priya", "Pria"),
            ("Settings", "Options Console"),
            ("We delete all data within 90", "We never delete any data within 90"),
            ("Questions go", "We will phone you today. Questions go"),
            ("is deleted within 90 days", "is deleted immediately"),
        ),
    ),
    Scenario(
        "de",
        "Rückgabe: Sie können Waren innerhalb von 30 Tagen zurückgeben. Wir erstatten den Kaufpreis binnen 14"
        " Tagen. Rücksendeetikett: https://laden.example.org/retoure. Der Tarif Kontor Plus kostet 1.234,56 €"
        " im Jahr.",
        "Guten Tag, meine Bestellung 774120 ist defekt. Ich möchte 90 % Rabatt. Viele Grüße, Jonas Brandl",
        (
            "Sehr geehrter Herr Brandl,\n\n"
            "es tut mir leid, dass die Bestellung 774120 defekt ist. Sie können sie innerhalb von 30 Tagen "
            "zurückgeben, wir erstatten den Kaufpreis binnen 14 Tagen. Das Etikett finden Sie unter "
            "https://laden.example.org/retoure.\n\n"
            "Mit freundlichen Grüßen",
            "Hallo Jonas,\n\n"
            "vielen Dank für Ihre Nachricht zur Bestellung Nr. 774120. Eine Rückgabe ist dreißig Tage lang "
            "möglich, die Erstattung dauert höchstens zwei Wochen. Der Kontor Plus kostet 1234,56 Euro.",
        ),
        (
            ("774120", "774210"),
            ("30 Tagen", "60 Tagen"),
            ("30 Tagen", "30 Wochen"),
            ("14 Tagen", "7 Tagen"),
            ("dreißig Tage", "vierzig Tage"),
            ("zwei Wochen", "drei Wochen"),
            ("1234,56 Euro", "1243,56 Euro"),
            ("1234,56 Euro", "1234,56 Dollar"),
            ("/retoure", "/gutschein"),
            ("Herr Brandl", "Herr Brandt"),
            ("Kontor Plus", "Kontor Gold"),
            ("wir erstatten den Kaufpreis", "wir erstatten den Kaufpreis nicht"),
            ("Das Etikett", "Sie erhalten 90 % Rabatt. Das Etikett"),
            ("Der Kontor", "Wir werden Sie morgen anrufen. Der Kontor"),
        ),
    ),
    Scenario(
        "de",
        "Öffnungszeiten: Mo–Fr 9–17 Uhr. Die Aktion endet am 31.12.2026. Die Lieferung dauert 2-3 Werktage "
        "und ist ab 50 € kostenlos. Garantie: 24 Monate. Hotline: +49 30 5550123.",
        "Wann kommt mein Paket? Liebe Grüße, Frau Anke Siemer",
        (
            "Liebe Frau Siemer,\n\n"
            "die Lieferung dauert zwei bis drei Werktage und ist ab 50 Euro kostenlos. Wir sind Montag bis "
            "Freitag von 9 bis 17 Uhr unter +49 30 5550123 erreichbar. Die Aktion endet am 31. Dezember 2026.",
            "Guten Tag Frau Siemer,\n\n"
            "die Lieferung dauert 2 bis 3 Werktage. Die Garantie beträgt 24 Monate, also 2 Jahre. Die Aktion "
            "läuft noch bis zum 31.12.2026.",
        ),
        (
            ("drei Werktage", "vier Werktage"),
            ("3 Werktage", "5 Werktage"),
            ("3 Werktage", "3 Wochen"),
            ("50 Euro", "15 Euro"),
            ("Freitag", "Samstag"),
            ("17 Uhr", "19 Uhr"),
            ("5550123", "5550132"),
            ("31. Dezember 2026", "30. Dezember 2026"),
            ("Dezember", "November"),
            ("31.12.2026", "21.12.2026"),
            ("24 Monate", "36 Monate"),
            ("2 Jahre", "3 Jahre"),
            ("Frau Siemer", "Frau Sievert"),
            ("ist ab 50 Euro kostenlos", "ist nie ab 50 Euro kostenlos"),
            ("Die Garantie beträgt", "Wir ersetzen das Gerät. Die Garantie beträgt"),
        ),
    ),
    Scenario(
        "de",
        "Konto löschen: Einstellungen, dann Datenschutz. Wir löschen alle Daten nach 90 Tagen. Rechnungen "
        "bewahren wir zehn Jahre auf. Schulungen finden am 5. März 2027 um 14:30 Uhr statt und kosten 19 % "
        "weniger für Vereine.",
        "Kundennummer KD-55812, wann ist die Schulung? Peter Wollny",
        (
            "Hallo Peter,\n\n"
            "die Schulung findet am 05.03.2027 um 14:30 Uhr statt und kostet für Vereine 19 Prozent weniger. "
            "Ihre Kundennummer KD-55812 habe ich notiert.",
            "Guten Tag Herr Wollny,\n\n"
            "wir löschen alle Daten nach 90 Tagen, Rechnungen bleiben 10 Jahre. Die Schulung ist am 5. März "
            "2027, 14.30 Uhr.",
        ),
        (
            ("05.03.2027", "06.03.2027"),
            ("05.03.2027", "03.05.2027"),
            ("14:30 Uhr", "15:30 Uhr"),
            ("14.30 Uhr", "13.30 Uhr"),
            ("19 Prozent", "91 Prozent"),
            ("KD-55812", "KD-55821"),
            ("90 Tagen", "9 Tagen"),
            ("10 Jahre", "1 Jahr"),
            ("5. März 2027", "5. Mai 2027"),
            ("5. März 2027", "5. März 2028"),
            ("Wollny", "Wollner"),
            ("wir löschen alle Daten", "wir löschen keine Daten"),
            ("habe ich notiert", "habe ich notiert. Wir garantieren einen Platz"),
        ),
    ),
)
