"""Invented answers as people write them, apart from the corpus of slips: what we know, the mail, the answer."""

from plain_answers_en import ENGLISH_ANSWERS

_OTHER_ANSWERS: tuple[tuple[str, str, str], ...] = (
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
        "Fundsachen bewahren wir 6 Monate auf. Abholung mittwochs von 10 bis 16 Uhr gegen Vorlage eines Ausweises.",
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
)

PLAIN_ANSWERS = ENGLISH_ANSWERS + _OTHER_ANSWERS
