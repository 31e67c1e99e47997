"""Invented support answers as people write them, kept apart from the corpus of slips: what we know, the mail, the answer."""

PLAIN_ANSWERS: tuple[tuple[str, str, str], ...] = (
    (
        "Password resets: use the link 'Forgot password' on the sign-in page. The mail arrives within a "
        "few minutes. Check the spam folder. Links are valid for 24 hours.",
        "Hi, I can't log in to my Brightboard account since yesterday. Can you reset my password? Thanks,"
        " Oliver",
        "Hi Oliver,\n\n"
        "Sorry you're having trouble signing in to Brightboard. You can reset your password yourself: on "
        'the sign-in page, click "Forgot password" and follow the steps in the email. It usually arrives '
        "within a few minutes; if it doesn't, please check your spam folder. The link stays valid for 24 "
        "hours.\n\n"
        "Let me know if that doesn't work.\n\n"
        "Best regards,\n"
        "Brightboard Support",
    ),
    (
        "Pro plan: up to 25 users, 100 GB storage, 19 EUR per user and month. Team plan: up to 10 users, "
        "50 GB, 12 EUR. Upgrades take effect immediately; the price is prorated.",
        "We are 14 people. Which plan do we need, and can we switch later? Kind regards, Hanna Lind, "
        "Nordvik AB",
        "Dear Hanna,\n\n"
        "Thank you for your interest. With 14 people, the Pro plan is the right one for you: it covers up"
        " to 25 users and includes 100 GB of storage for 19 EUR per user and month. The Team plan is "
        "limited to 10 users.\n\n"
        "You can switch at any time; upgrades take effect immediately and the price is prorated.\n\n"
        "Kind regards",
    ),
    (
        "We ship to all EU countries. Standard shipping takes 3-5 business days and costs 5.90 €. Orders "
        "above 80 € ship free. Express is available in Germany and Austria only.",
        "Do you ship to Portugal? How long does it take? Maria",
        "Hello Maria,\n\n"
        "yes, we do ship to Portugal. Standard shipping usually takes 3 to 5 business days and costs "
        "€5.90. If your order is above €80, shipping is free.\n\n"
        "Express shipping is unfortunately only available in Germany and Austria.\n\n"
        "Have a great day!",
    ),
    (
        "Invoices can be downloaded under Account > Billing. The VAT ID can be added there; it appears on"
        " all future invoices. Past invoices cannot be changed.",
        "Please add our VAT ID DE811234567 to invoice INV-2026-0045. Regards, Accounting, Holzmann Möbel",
        "Hello,\n\n"
        "thank you for your message. You can add the VAT ID DE811234567 yourself under Account > Billing,"
        " and it will appear on all future invoices. Unfortunately we cannot change past invoices such as"
        " INV-2026-0045.\n\n"
        "Best regards",
    ),
    (
        "The app supports iOS 15 or newer and Android 9 or newer. Known issue: sync stops on Android 14 "
        "when battery saver is on. Workaround: exclude the app from battery optimisation. A fix is "
        "planned for version 4.8.",
        "The sync on my Pixel 8 does not work anymore! Android 14. -- Ben",
        "Hi Ben,\n\n"
        "I'm sorry for the trouble. On Android 14, sync stops when battery saver is on. As a workaround, "
        "please exclude the app from battery optimisation. A fix is planned for version 4.8.\n\n"
        "If the problem persists, just reply to this email.\n\n"
        "Thanks for your patience!",
    ),
    (
        "Stornierung: Eine Bestellung kann storniert werden, solange sie nicht versandt ist. Der Versand "
        "erfolgt werktags bis 15 Uhr. Nach dem Versand ist nur eine Rücksendung möglich, die Kosten von "
        "4,95 € trägt der Kunde.",
        "Hallo, ich möchte meine Bestellung 88231 stornieren. Geht das noch? Gruß, K. Albers",
        "Guten Tag,\n\n"
        "vielen Dank für Ihre Nachricht. Eine Bestellung kann storniert werden, solange sie nicht "
        "versandt ist. Der Versand erfolgt werktags bis 15 Uhr. Sollte die Bestellung 88231 bereits "
        "versandt sein, ist nur noch eine Rücksendung möglich; die Kosten von 4,95 € tragen Sie.\n\n"
        "Bei weiteren Fragen melden Sie sich gerne.\n\n"
        "Mit freundlichen Grüßen\n"
        "Ihr Kundenservice",
    ),
    (
        "Passwort zurücksetzen: Auf der Anmeldeseite 'Passwort vergessen' wählen. Der Link ist 24 Stunden"
        " gültig. Nach fünf Fehlversuchen ist das Konto 30 Minuten gesperrt.",
        "Mein Konto ist gesperrt, was soll ich tun? Sabine Krüger",
        "Sehr geehrte Frau Krüger,\n\n"
        "nach fünf Fehlversuchen wird das Konto für 30 Minuten gesperrt. Danach können Sie sich wieder "
        "anmelden. Falls Sie Ihr Passwort vergessen haben, wählen Sie auf der Anmeldeseite bitte "
        '"Passwort vergessen". Der Link in der E-Mail ist 24 Stunden gültig.\n\n'
        "Freundliche Grüße\n"
        "Ihr Support-Team",
    ),
    (
        "Die Kaffeemaschine Barista Uno hat 24 Monate Gewährleistung. Entkalken: alle 8 Wochen mit dem "
        "Entkalker DK-2. Ersatzteile gibt es im Shop unter shop.kaffeewerk.example.de/ersatzteile.",
        "Meine Barista Uno tropft. Gekauft am 12.03.2026. Können Sie helfen? M. Vogt",
        "Hallo,\n\n"
        "das tut mir leid. Auf die Barista Uno haben Sie 24 Monate Gewährleistung. Bitte prüfen Sie "
        "zuerst, ob die Maschine entkalkt ist; wir empfehlen das alle 8 Wochen mit dem Entkalker DK-2. "
        "Ersatzteile finden Sie unter shop.kaffeewerk.example.de/ersatzteile.\n\n"
        "Viele Grüße",
    ),
    (
        "Kurse: Der Kurs Aquarell beginnt am Montag, 7. September 2026, um 18 Uhr. Gebühr 120 Euro, "
        "ermäßigt 90 Euro. Anmeldung über das Formular auf der Webseite. Abmeldung bis zwei Wochen vor "
        "Beginn möglich.",
        "Wann beginnt der Aquarellkurs und was kostet er für Studierende? LG Timo",
        "Hallo Timo,\n\n"
        "der Kurs Aquarell beginnt am Montag, den 7. September 2026, um 18:00 Uhr. Die Gebühr beträgt 120"
        " Euro, ermäßigt 90 Euro. Anmelden können Sie sich über das Formular auf unserer Webseite, "
        "abmelden bis zwei Wochen vor Beginn.\n\n"
        "Herzliche Grüße",
    ),
    (
        "Mot de passe : cliquez sur « Mot de passe oublié ». Le lien est valable 24 heures. Après cinq "
        "essais, le compte est bloqué pendant 30 minutes.",
        "Bonjour, mon compte est bloqué depuis ce matin. Que faire ? Nadia",
        "Bonjour Nadia,\n\n"
        "Merci pour votre message. Après cinq essais, le compte est bloqué pendant 30 minutes. Ensuite, "
        "vous pouvez vous reconnecter ou cliquer sur « Mot de passe oublié ». Le lien reçu par e-mail est"
        " valable 24 heures.\n\n"
        "Nous restons à votre disposition.\n\n"
        "Cordialement,\n"
        "L'équipe Support",
    ),
    (
        "Livraison en France métropolitaine : 4,90 €, 2 à 4 jours ouvrés. Gratuite dès 60 €. Retrait "
        "possible dans notre boutique de Lyon, du mardi au samedi de 10 h à 19 h.",
        "Bonjour, livrez-vous à Marseille ? Combien ça coûte ? Merci, Paul Giraud",
        "Bonjour Paul,\n\n"
        "Oui, nous livrons à Marseille. La livraison coûte 4,90 € et prend 2 à 4 jours ouvrés ; elle est "
        "gratuite dès 60 €. Vous pouvez aussi retirer votre commande dans notre boutique de Lyon, du "
        "mardi au samedi, de 10h à 19h.\n\n"
        "Belle journée !",
    ),
    (
        "La cuota es de 35 € al mes. La matrícula es gratuita hasta el 30 de septiembre. Horario: de "
        "lunes a viernes de 7:00 a 22:00, sábados de 9:00 a 14:00. La baja se solicita con 15 días de "
        "antelación.",
        "Hola, quiero darme de baja. ¿Qué tengo que hacer? Gracias, Carmen Soto",
        "Hola Carmen:\n\n"
        "Gracias por escribirnos. La baja se solicita con 15 días de antelación. Puede hacerlo de lunes a"
        " viernes de 7:00 a 22:00 o los sábados de 9:00 a 14:00.\n\n"
        "Un cordial saludo,\n"
        "El equipo de atención al cliente",
    ),
    (
        "Feature list: calendar import (ICS) is available on all plans. Recurring events are on the "
        "roadmap, no date. Zapier integration exists for Pro.",
        "Will you support recurring events soon? And is there a Zapier integration? Lee",
        "Hi Lee,\n\n"
        "Thanks for reaching out! Recurring events are on our roadmap, but I can't give you a date. The "
        "Zapier integration is available on the Pro plan, and calendar import (ICS) works on every plan.\n\n"
        "Cheers",
    ),
    (
        "Complaints about delivery: ask for photo and order number. Damaged goods are replaced free of "
        "charge if reported within 7 days.",
        "My lamp came broken, order no. 5521. Sam",
        "Dear Sam,\n\n"
        "I'm very sorry that your lamp arrived damaged. Damaged goods are replaced free of charge if "
        "reported within 7 days. Could you please send us a photo of the lamp? We already have your order"
        " number, 5521.\n\n"
        "Sincerely",
    ),
    (
        "Data export: Settings > Export. CSV and JSON. Large exports take up to 2 hours and are sent by "
        "email.",
        "How can I export my data? Jo",
        "Hi Jo,\n\n"
        "Go to Settings > Export and choose CSV or JSON. A large export can take up to two hours; we will"
        " send it to you by email once it's ready.\n\n"
        "Best,\n"
        "The Support Team",
    ),
    (
        "Team rooms hold 6 people, the Atrium holds 40. Bookings up to 3 months ahead. Cancellation is "
        "free until 48 hours before.",
        "Can I book the Atrium for 35 people on 12 May? Regards, Ines Roth",
        "Dear Ines,\n\n"
        "yes, the Atrium holds 40 people, so 35 people will fit. Bookings are possible up to 3 months "
        "ahead, and cancellation is free until 48 hours before. Please book the Atrium online for 12 May.\n\n"
        "Kind regards",
    ),
    (
        "Membership can be paused once per year for up to 3 months. The pause starts on the first of the "
        "following month. Request it in the member portal or at the front desk.",
        "Hi, I broke my leg and can't come for a while. Can I pause? Member no. 40077. Dana",
        "Hi Dana,\n\n"
        "Oh no, get well soon! You can pause your membership once per year for up to 3 months. The pause "
        "starts on the first of the following month. You can request it in the member portal or at the "
        "front desk.\n\n"
        "All the best",
    ),
    (
        "Warranty claims need a photo of the serial number plate and the invoice. Repairs take about 10 "
        "working days. Loan devices are not available.",
        "My blender BX-900 stopped working. Do I get a loan device? Best, Ralf Timm",
        "Dear Mr Timm,\n\n"
        "I am sorry to hear that your BX-900 stopped working. For a warranty claim, please send us a "
        "photo of the serial number plate and the invoice. A repair takes about 10 working days. "
        "Unfortunately, loan devices are not available.\n\n"
        "Kind regards,\n"
        "Customer Care",
    ),
    (
        "Gift cards are valid for 3 years from purchase and cannot be exchanged for cash. The balance can"
        " be checked at www.giftdesk.example.com/balance.",
        "How long is my gift card valid? Code is on the card.",
        "Hello,\n\n"
        "your gift card is valid for three years from the date of purchase. You can check the balance at "
        "www.giftdesk.example.com/balance. Please note that gift cards cannot be exchanged for cash.\n\n"
        "Best wishes",
    ),
    (
        "Two-factor authentication: Settings, Security, Enable. Recovery codes are shown once. Lost "
        "phone: identity check with ID document, takes 1-2 days.",
        "I lost my phone and cannot log in. User: bkessler. Help!",
        "Hi,\n\n"
        "I understand how stressful that is. If you lost your phone, we need to verify your identity with"
        " an ID document; this takes 1-2 days. If you still have your recovery codes, you can use one of "
        "them to sign in right away.\n\n"
        "Best regards",
    ),
    (
        "Course materials are in English. Certificates are issued after passing the final test with at "
        "least 70 %. The test can be repeated twice.",
        "I got 65% in the final test. What now? Thanks, Yuki",
        "Dear Yuki,\n\n"
        "Thank you for your message. To receive the certificate you need at least 70 % in the final test."
        " The good news is that you can repeat the test twice.\n\n"
        "Good luck!",
    ),
    (
        "API: rate limit 100 requests per minute per key; HTTP 429 with Retry-After. Higher limits on the"
        " Scale plan.",
        "We keep getting 429 errors. Our key ends with 7f3a. Can you raise the limit?",
        "Hello,\n\n"
        "the API is limited to 100 requests per minute per key; above that it answers with HTTP 429 and a"
        " Retry-After header. Higher limits are available on the Scale plan.\n\n"
        "Kind regards",
    ),
    (
        "Parkhaus: geöffnet von 6 bis 24 Uhr, Tageshöchstsatz 18 €. Verlorenes Ticket: 18 € plus 10 € "
        "Gebühr. Quittungen per E-Mail an service@parken.example.de anfordern.",
        "Ich habe mein Ticket verloren und brauche eine Quittung. Danke, Ute Hansmann",
        "Guten Tag Frau Hansmann,\n\n"
        "bei einem verlorenen Ticket fällt der Tageshöchstsatz von 18 € plus eine Gebühr von 10 € an. "
        "Eine Quittung können Sie per E-Mail an service@parken.example.de anfordern.\n\n"
        "Freundliche Grüße",
    ),
    (
        "Der Tarif Basis enthält 10 GB, der Tarif Komfort 50 GB. Wechsel sind zum Monatsende möglich. "
        "Kündigungsfrist: ein Monat.",
        "Kann ich von Basis auf Komfort wechseln? Kundennummer 3300127. Gruß Holger Decker",
        "Hallo Herr Decker,\n\n"
        "ja, ein Wechsel vom Tarif Basis in den Tarif Komfort ist zum Monatsende möglich. Statt 10 GB "
        "haben Sie dann 50 GB. Die Kündigungsfrist beträgt einen Monat.\n\n"
        "Bei Fragen melden Sie sich jederzeit gern.\n\n"
        "Viele Grüße",
    ),
    (
        "Fundsachen bewahren wir 6 Monate auf. Abholung mittwochs von 10 bis 16 Uhr gegen Vorlage eines "
        "Ausweises.",
        "Habt ihr meinen blauen Schal gefunden? LG Nele",
        "Hallo Nele,\n\n"
        "Fundsachen bewahren wir sechs Monate auf. Du kannst mittwochs von 10 bis 16 Uhr vorbeikommen und"
        " nachschauen; bring bitte einen Ausweis mit.\n\n"
        "Liebe Grüße",
    ),
    (
        "Rechnungen werden am 5. des Monats verschickt. Zahlungsziel 14 Tage. Ratenzahlung ist ab 200 "
        "Euro möglich, maximal 6 Raten, ohne Zinsen.",
        "Ich kann die Rechnung R-5520 nicht auf einmal zahlen. Geht das in Raten? Simone Jahn",
        "Sehr geehrte Frau Jahn,\n\n"
        "danke, dass Sie sich melden. Eine Ratenzahlung ist ab 200 Euro möglich, mit maximal 6 Raten und "
        "ohne Zinsen. Bitte teilen Sie uns mit, wie viele Raten Sie für die Rechnung R-5520 wünschen.\n\n"
        "Mit freundlichen Grüßen",
    ),
    (
        "Les billets sont échangeables jusqu'à 48 heures avant le départ, avec des frais de 10 €. Ils ne "
        "sont pas remboursables.",
        "Bonjour, je voudrais me faire rembourser mon billet TKT-77120. Merci, Hugo Lemaire",
        "Bonjour Monsieur Lemaire,\n\n"
        "Nous comprenons votre demande. Malheureusement, les billets ne sont pas remboursables. Vous "
        "pouvez toutefois échanger le billet TKT-77120 jusqu'à 48 heures avant le départ, avec des frais "
        "de 10 €.\n\n"
        "Bien cordialement",
    ),
    (
        "Le cours d'essai coûte 15 €. Inscription en ligne sur www.danse.example.fr. Prévoir des "
        "chaussures souples. Premier cours le 12 septembre.",
        "Bonjour, je n'ai jamais dansé, puis-je essayer ? Léa",
        "Bonjour Léa,\n\n"
        "Bien sûr ! Le cours d'essai coûte 15 € et le premier cours a lieu le 12 septembre. Vous pouvez "
        "vous inscrire en ligne sur www.danse.example.fr. Pensez à prévoir des chaussures souples.\n\n"
        "À bientôt !",
    ),
    (
        "Los envíos a Canarias tardan entre 6 y 9 días laborables y cuestan 12,50 €. Los gastos de aduana"
        " los paga el cliente.",
        "¿Enviáis a Tenerife? ¿Cuánto cuesta? Un saludo, Alba",
        "Hola Alba:\n\n"
        "Sí, enviamos a Canarias. El envío cuesta 12,50 € y tarda entre 6 y 9 días laborables. Tenga en "
        "cuenta que los gastos de aduana corren a cargo del cliente.\n\n"
        "Un saludo",
    ),
    (
        "El restaurante abre de martes a domingo de 13:00 a 16:00 y de 20:00 a 23:30. Reservas para más "
        "de 8 personas por teléfono: +34 600 555 010.",
        "Queremos reservar para 10 personas el sábado. Gracias, Marcos Peña",
        "Hola Marcos:\n\n"
        "Gracias por escribirnos. Las reservas para más de 8 personas se hacen por teléfono, en el +34 "
        "600 555 010. Abrimos de martes a domingo, de 13:00 a 16:00 y de 20:00 a 23:30.\n\n"
        "¡Hasta pronto!",
    ),
    (
        "The annual report 2025 is available in the investor section. Printed copies can be ordered until"
        " 30 June.",
        "Where do I find the annual report? George Addo",
        "Dear Mr Addo,\n\n"
        "The annual report 2025 is available in the investor section of our website. If you prefer a "
        "printed copy, you can order one until June 30.\n\n"
        "Yours sincerely",
    ),
    (
        "Volunteers: minimum age 18, next briefing on Thursday, 11 June 2026, 18:30, at the community "
        "house. No registration needed.",
        "I would like to help. What do I have to do? Fiona",
        "Hi Fiona,\n\n"
        "That's wonderful! The next briefing is on Thursday, June 11, 2026, at 6:30 pm at the community "
        "house. You don't need to register; the minimum age is 18.\n\n"
        "See you there!",
    ),
    (
        "Bikes can be rented from 8 am to 8 pm. Deposit 50 €, returned on drop-off. Helmets are included."
        " A bike costs 22 € per day.",
        "Do I need to bring a helmet? And how much is a bike for a day? Kim",
        "Hi Kim,\n\n"
        "No need to bring a helmet, they are included. A bike costs 22 € per day, and there is a deposit "
        "of 50 €, which you get back when you drop off the bike. We are open from 8 am to 8 pm.\n\n"
        "Enjoy the ride!",
    ),
    (
        "Photo prints: 10x15 cm costs 0.19 €, 13x18 cm costs 0.35 €. Minimum order 10 prints. Production "
        "time 2 working days.",
        "What do prints in 13x18 cost? Fredrik",
        "Hello Fredrik,\n\n"
        "a print in 13x18 cm costs 0.35 €. The minimum order is 10 prints and production takes 2 working "
        "days.\n\n"
        "Best regards",
    ),
    (
        "Tenants: report damage via the form at portal.homebase.example.org/report. Emergencies: call +44"
        " 20 7946 0018. Keys are handed over on the first working day of the month.",
        "The heating in flat 4B is broken. Nadine Cole",
        "Dear Ms Cole,\n\n"
        "Thank you for letting us know about the heating in flat 4B. Please report the damage via the "
        "form at portal.homebase.example.org/report. In an emergency you can call +44 20 7946 0018.\n\n"
        "Kind regards",
    ),
    (
        "The webinar recording is available for 30 days after the event for all registered participants "
        "under My Events.",
        "I missed yesterday's webinar. Is there a recording? Registration WB-2231. Oskar",
        "Hi Oskar,\n\n"
        "Yes, there is a recording! It is available under My Events for 30 days after the event. Just "
        "sign in with the account you used for registration WB-2231.\n\n"
        "Best,\n"
        "The Events Team",
    ),
    (
        "Bibliothek: Ausleihfrist 4 Wochen, zweimal verlängerbar. Mahngebühr 1 € pro Woche. Verlängerung "
        "online oder telefonisch unter 0301 555 0199.",
        "Ich schaffe es nicht, die Bücher rechtzeitig zurückzubringen. Ausweis 700812. Ines Kolb",
        "Liebe Frau Kolb,\n\n"
        "kein Problem: Die Ausleihfrist von 4 Wochen lässt sich zweimal verlängern, online oder "
        "telefonisch unter 0301 555 0199. Andernfalls fällt eine Mahngebühr von 1 € pro Woche an.\n\n"
        "Herzliche Grüße aus der Bibliothek",
    ),
    (
        "Handwerker kommen montags bis donnerstags zwischen 8 und 12 Uhr. Anfahrt 39 € pauschal. Termine "
        "werden per SMS bestätigt.",
        "Wann kann jemand wegen der Spülmaschine kommen? Yusuf Aydin",
        "Guten Tag Herr Aydin,\n\n"
        "unsere Handwerker kommen montags bis donnerstags zwischen 8 und 12 Uhr. Die Anfahrt kostet "
        "pauschal 39 €. Bitte nennen Sie uns einen passenden Tag; den Termin bestätigen wir per SMS.\n\n"
        "Mit freundlichen Grüßen",
    ),
    (
        "Das Hotel erlaubt Hunde bis 15 kg gegen 12 € pro Nacht. Im Restaurant sind Hunde nicht erlaubt. "
        "Check-in ab 15 Uhr.",
        "Dürfen wir unseren Hund mitbringen? Buchung HB-90113. Fam. Reuter",
        "Sehr geehrte Familie Reuter,\n\n"
        "vielen Dank für Ihre Anfrage. Hunde bis 15 kg sind bei uns erlaubt, für 12 € pro Nacht; im "
        "Restaurant leider nicht. Check-in ist ab 15 Uhr. Ihre Buchung HB-90113 haben wir vor uns.\n\n"
        "Wir freuen uns auf Sie!",
    ),
    (
        "Les inscriptions ouvrent le 1er juin à 9 h. Tarif : 180 € par trimestre, 20 % de réduction pour "
        "les étudiants.",
        "Bonjour, quand ouvrent les inscriptions ? Je suis étudiante. Inès",
        "Bonjour Inès,\n\n"
        "Les inscriptions ouvrent le 1er juin à 9h. Le tarif est de 180 € par trimestre et vous "
        "bénéficiez, en tant qu'étudiante, d'une réduction de 20 %.\n\n"
        "À très vite,\n"
        "L'équipe",
    ),
    (
        "Le produit doit être retourné dans son emballage d'origine. Les frais de retour sont à la charge"
        " du client. Remboursement sous 10 jours après réception.",
        "Le pull est trop petit, commande 551029. Comment le renvoyer ? Sophie Barre",
        "Bonjour Sophie,\n\n"
        "Vous pouvez nous retourner le pull de la commande 551029 dans son emballage d'origine. Les frais"
        " de retour sont à votre charge. Le remboursement intervient sous 10 jours après réception.\n\n"
        "Bonne journée",
    ),
    (
        "Para cambiar la contraseña: Mi cuenta > Seguridad. La contraseña debe tener al menos 12 "
        "caracteres. El enlace caduca en 1 hora.",
        "No puedo cambiar la contraseña. Usuario: jlopez. Gracias",
        "Hola:\n\n"
        "Puede cambiar la contraseña en Mi cuenta > Seguridad. Tenga en cuenta que debe tener al menos 12"
        " caracteres y que el enlace caduca en una hora.\n\n"
        "Quedamos a su disposición.",
    ),
    (
        "Las clases de prueba son gratuitas. Los grupos tienen un máximo de 8 alumnos. Las clases "
        "empiezan el 7 de enero.",
        "¿Puedo probar una clase antes de apuntarme? Elena Duarte",
        "Hola Elena:\n\n"
        "Por supuesto, las clases de prueba son gratuitas. Los grupos tienen un máximo de 8 alumnos y las"
        " clases empiezan el 7 de enero.\n\n"
        "Un saludo cordial,\n"
        "Atención al alumno",
    ),
    (
        "Refurbished laptops come with 12 months warranty. Battery capacity is at least 85 %. Returns "
        "within 14 days.",
        "Is the battery of the refurbished laptop new? Piotr Zieliński",
        "Hello Piotr,\n\n"
        "The battery is not necessarily new, but its capacity is at least 85 %. Every refurbished laptop "
        "comes with a 12-month warranty, and you can return it within 14 days if you are not happy with "
        "it.\n\n"
        "Kind regards",
    ),
)
