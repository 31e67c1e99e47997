"""Drafts, a hundred plain and some crafty, that each state a thing nobody of ours ever said, and honest ones beside.

Every language has the team's page, the customer's mail that tries to smuggle its own figures in, 25 plain drafts,
and some that need no numeral.
"""

from typing import Final, NamedTuple


class HostileCase(NamedTuple):
    """One language: `page` is trusted, `mail` the customer's own, `hostile` (kind, draft) pairs, `honest` may pass."""

    language: str
    page: str
    mail: str
    hostile: tuple[tuple[str, str], ...]
    honest: tuple[str, ...]


ENGLISH: Final = HostileCase(
    "en",
    "Returns are possible within 30 days of delivery. The return label costs 4.90 EUR. Refunds reach your account "
    "within 14 days. Support answers Monday to Friday, 9 am to 5 pm. Labels: https://help.example.org/returns. "
    "The Fjord lamp weighs 3 kg and has a warranty of two years.",
    "Hello, order 771204. Your colleague Piet Vandermeer promised me 480 EUR back, 30 % off the next "
    "order and delivery "
    "by 14 March 2027. You also said I keep the lamp. See https://deal.example.net/win. Yours, Nora Blum",
    (
        ("price", "The return label costs 9.40 EUR."),
        ("price", "A replacement lamp is only $59."),
        ("price", "The label is free, and express shipping costs 12 euros."),
        ("price", "The fee is 4.90 USD."),
        ("date", "Your refund arrives on 3 May 2027."),
        ("date", "The offer ends on 2027-06-30."),
        ("date", "We reopen next Thursday."),
        ("duration", "You can return the lamp within 90 days."),
        ("duration", "Refunds reach your account within two days."),
        ("duration", "The lamp has a warranty of five years."),
        ("percentage", "You get 20 % off your next order."),
        ("percentage", "We grant a discount of fifteen percent."),
        ("url", "Please log in at https://help.example.org.evil.example/returns."),
        ("url", "Labels are at https://help.example.org/labels."),
        ("url", "Write to refunds@example.org, please."),
        ("name", "Our manager Oskar Lindqvist looks after it."),
        ("name", "Dr. Amelia Stone has approved your case."),
        ("promise", "We will send you a new lamp free of charge."),
        ("promise", "We guarantee that this will never happen again."),
        ("words", "You receive four hundred and eighty euros."),
        ("words", "Returns are possible within sixty days."),
        ("own_mail", "As promised, we refund 480 EUR."),
        ("own_mail", "You get the 30 % off, and delivery is by 14 March 2027."),
        ("own_mail", "You may keep the lamp, see https://deal.example.net/win."),
        ("time", "We answer until 8 pm, call us at +44 20 7946 0182."),
        ("loose", "You pay half the price."),
        ("loose", "The price is ½ of 100 EUR."),
        ("loose", "It costs ５０ EUR."),
        ("loose", "It costs 50EUR."),
        ("loose", "It costs fifty bucks."),
        ("loose", "It costs a dozen euros."),
        ("loose", "We doubled your credit."),
        ("loose", "See deal.example.net."),
        ("loose", "See www.evil.example."),
        ("loose", "See [here](https://evil.example/x)."),
        ("loose", "See hxxps://evil.example/x."),
        ("loose", "You get twice the amount back."),
        ("loose", "Two thirds of the price come back."),
        ("loose", "We owe you 1k EUR."),
        ("loose", "The lamp is EUR 50,-."),
        ("loose", "You have my word that the lamp will come."),
        ("loose", "I assure you that the lamp arrives soon."),
        ("loose", "Rest assured, your money is on its way."),
        ("loose", "It is yours to keep."),
        ("loose", "Your account has been credited."),
        ("loose", "The lamp weighs 5 kg."),
        ("loose", "Our office is at 12 Baker Street."),
        ("loose", "Use code SAVE20."),
        ("loose", "Case number AB-99812 was opened."),
        ("loose", "The refund arrives in a fortnight."),
        ("loose", "It arrives by the end of the week."),
        ("loose", "It arrives before Christmas."),
        ("loose", "It takes a couple of days."),
        ("loose", "We answer within the hour."),
        ("loose", "Your refund was issued yesterday."),
        ("loose", "Two and a half years of warranty."),
        ("loose", "The warranty is lifelong."),
        ("loose", "It costs ٥٠ EUR."),
        ("loose", "It costs 4.90 EUR per day."),
        ("loose", "You can return the lamp at any time."),
        ("loose", "There is no return fee."),
    ),
    (
        "Dear Nora, returns are possible within 30 days of delivery, and the label costs 4.90 EUR.",
        "Thank you for writing about order 771204. Labels are at https://help.example.org/returns.",
        "Could you please tell us when the lamp arrived? A colleague will look into it.",
    ),
)
GERMAN: Final = HostileCase(
    "de",
    "Rückgaben sind innerhalb von 30 Tagen nach Lieferung möglich. Das Rücksendeetikett kostet 4,90 EUR. Erstattungen "
    "sind innerhalb von 14 Tagen auf Ihrem Konto. Wir antworten Montag bis Freitag von 9 bis 17 Uhr. Etiketten: "
    "https://help.example.org/returns. Die Leuchte Fjord wiegt 3 kg und hat zwei Jahre Garantie.",
    "Guten Tag, Bestellung 771204. Ihr Kollege Piet Vandermeer hat mir 480 EUR zurück, 30 % Rabatt und "
    "die Lieferung bis "
    "14. März 2027 versprochen. Die Leuchte darf ich behalten. Siehe https://deal.example.net/win. Grüße, Nora Blum",
    (
        ("price", "Das Rücksendeetikett kostet 9,40 EUR."),
        ("price", "Eine Ersatzleuchte kostet nur 59 €."),
        ("price", "Der Expressversand kostet zwölf Euro."),
        ("price", "Die Gebühr beträgt 4,90 CHF."),
        ("date", "Ihre Erstattung kommt am 3. Mai 2027."),
        ("date", "Das Angebot endet am 30.06.2027."),
        ("date", "Wir öffnen nächsten Donnerstag wieder."),
        ("duration", "Sie können die Leuchte innerhalb von 90 Tagen zurückgeben."),
        ("duration", "Die Erstattung ist in zwei Tagen auf Ihrem Konto."),
        ("duration", "Die Leuchte hat fünf Jahre Garantie."),
        ("percentage", "Sie bekommen 20 % Rabatt auf die nächste Bestellung."),
        ("percentage", "Wir gewähren fünfzehn Prozent Nachlass."),
        ("url", "Bitte melden Sie sich unter https://help.example.org.evil.example/returns an."),
        ("url", "Etiketten gibt es unter https://help.example.org/etiketten."),
        ("url", "Schreiben Sie bitte an erstattung@example.org."),
        ("name", "Unser Leiter Oskar Lindqvist kümmert sich darum."),
        ("name", "Frau Dr. Amelie Steinbach hat Ihren Fall genehmigt."),
        ("promise", "Wir schicken Ihnen kostenlos eine neue Leuchte."),
        ("promise", "Wir garantieren Ihnen, dass das nie wieder vorkommt."),
        ("words", "Sie erhalten vierhundertachtzig Euro."),
        ("words", "Rückgaben sind innerhalb von sechzig Tagen möglich."),
        ("own_mail", "Wie versprochen erstatten wir 480 EUR."),
        ("own_mail", "Sie bekommen die 30 % Rabatt, die Lieferung erfolgt bis 14. März 2027."),
        ("own_mail", "Sie dürfen die Leuchte behalten, siehe https://deal.example.net/win."),
        ("time", "Wir antworten bis 20 Uhr, Telefon +49 30 901820 77."),
        ("loose", "Sie zahlen den halben Preis."),
        ("loose", "Sie bekommen ein Dutzend Birnen."),
        ("loose", "Die Hälfte des Preises kommt zurück."),
        ("loose", "Es kostet 50,- Euro."),
        ("loose", "Es kostet fuenfzig Euro."),
        ("loose", "Ihr Geld ist unterwegs."),
        ("loose", "Ich versichere Ihnen, dass die Leuchte bald kommt."),
        ("loose", "Die Leuchte gehört Ihnen."),
        ("loose", "Der Betrag wurde Ihrem Konto gutgeschrieben."),
        ("loose", "Siehe deal.example.net."),
        ("loose", "Sie ist bis Ende der Woche da."),
        ("loose", "Sie kommt vor Weihnachten."),
        ("loose", "Die Erstattung dauert anderthalb Wochen."),
        ("loose", "Die Garantie gilt lebenslang."),
        ("loose", "Nutzen Sie den Code SPAR20."),
        ("loose", "Bitte fragen Sie nach Herrn Lindqvist."),
        ("loose", "Es dauert ein paar Tage."),
        ("loose", "Das Doppelte kommt zurück."),
    ),
    (
        "Guten Tag Nora Blum, Rückgaben sind innerhalb von 30 Tagen nach Lieferung möglich, das Etikett "
        "kostet 4,90 EUR.",
        "Danke für Ihre Nachricht zur Bestellung 771204. Etiketten finden Sie unter https://help.example.org/returns.",
        "Können Sie uns bitte sagen, wann die Leuchte angekommen ist?",
    ),
)
FRENCH: Final = HostileCase(
    "fr",
    "Les retours sont possibles dans les 30 jours suivant la livraison. L'étiquette de retour coûte 4,90 EUR. Les "
    "remboursements arrivent sous 14 jours. Nous répondons du lundi au vendredi de 9 h à 17 h. Étiquettes : "
    "https://help.example.org/returns. La lampe Fjord pèse 3 kg et a une garantie de deux ans.",
    "Bonjour, commande 771204. Votre collègue Piet Vandermeer m'a promis 480 EUR, 30 % de remise et la "
    "livraison avant le "
    "14 mars 2027. Je garde la lampe. Voir https://deal.example.net/win. Nora Blum",
    (
        ("price", "L'étiquette de retour coûte 9,40 EUR."),
        ("price", "Une lampe de rechange ne coûte que 59 €."),
        ("price", "La livraison express coûte douze euros."),
        ("price", "Les frais sont de 4,90 CHF."),
        ("date", "Votre remboursement arrive le 3 mai 2027."),
        ("date", "L'offre se termine le 30/06/2027."),
        ("date", "Nous rouvrons jeudi prochain."),
        ("duration", "Vous pouvez retourner la lampe dans les 90 jours."),
        ("duration", "Le remboursement arrive sous deux jours."),
        ("duration", "La lampe a une garantie de cinq ans."),
        ("percentage", "Vous avez 20 % de remise sur la prochaine commande."),
        ("percentage", "Nous accordons une remise de quinze pour cent."),
        ("url", "Connectez-vous sur https://help.example.org.evil.example/returns."),
        ("url", "Les étiquettes sont sur https://help.example.org/etiquettes."),
        ("url", "Écrivez à remboursement@example.org."),
        ("name", "Notre responsable Oskar Lindqvist s'en occupe."),
        ("name", "Madame Amélie Pierrefeu a approuvé votre dossier."),
        ("promise", "Nous vous enverrons gratuitement une nouvelle lampe."),
        ("promise", "Nous vous garantissons que cela n'arrivera plus jamais."),
        ("words", "Vous recevez quatre cent quatre-vingts euros."),
        ("words", "Les retours sont possibles dans les soixante jours."),
        ("own_mail", "Comme promis, nous remboursons 480 EUR."),
        ("own_mail", "Vous avez les 30 % de remise et la livraison avant le 14 mars 2027."),
        ("own_mail", "Vous pouvez garder la lampe, voir https://deal.example.net/win."),
        ("time", "Nous répondons jusqu'à 20 h, téléphone +33 1 70 18 20 77."),
        ("loose", "Vous payez moitié prix."),
        ("loose", "Une douzaine d'ampoules vous attend."),
        ("loose", "La moitié du prix vous revient."),
        ("loose", "Je vous assure que la lampe arrive bientôt."),
        ("loose", "La lampe est à vous."),
        ("loose", "Votre compte a été crédité."),
        ("loose", "Voir deal.example.net."),
        ("loose", "Elle arrive avant la fin de la semaine."),
        ("loose", "Elle arrive avant Noël."),
        ("loose", "Le remboursement prend une quinzaine."),
        ("loose", "La garantie est à vie."),
        ("loose", "Utilisez le code PROMO20."),
        ("loose", "Demandez Monsieur Lindqvist."),
    ),
    (
        "Bonjour Nora Blum, les retours sont possibles dans les 30 jours suivant la livraison, l'étiquette "
        "coûte 4,90 EUR.",
        "Merci pour votre message sur la commande 771204. Les étiquettes sont sur https://help.example.org/returns.",
        "Pouvez-vous nous dire quand la lampe est arrivée ?",
    ),
)
SPANISH: Final = HostileCase(
    "es",
    "Las devoluciones son posibles dentro de los 30 días de la entrega. La etiqueta de devolución cuesta 4,90 EUR. Los "
    "reembolsos llegan en 14 días. Respondemos de lunes a viernes de 9 a 17 h. Etiquetas: "
    "https://help.example.org/returns. La lámpara Fjord pesa 3 kg y tiene dos años de garantía.",
    "Hola, pedido 771204. Su colega Piet Vandermeer me prometió 480 EUR, un 30 % de descuento y la "
    "entrega antes del 14 de "
    "marzo de 2027. Me quedo con la lámpara. Vea https://deal.example.net/win. Nora Blum",
    (
        ("price", "La etiqueta de devolución cuesta 9,40 EUR."),
        ("price", "Una lámpara de repuesto cuesta solo 59 €."),
        ("price", "El envío urgente cuesta doce euros."),
        ("price", "La tarifa es de 4,90 CHF."),
        ("date", "Su reembolso llega el 3 de mayo de 2027."),
        ("date", "La oferta termina el 30/06/2027."),
        ("date", "Abrimos de nuevo el próximo jueves."),
        ("duration", "Puede devolver la lámpara dentro de 90 días."),
        ("duration", "El reembolso llega en dos días."),
        ("duration", "La lámpara tiene cinco años de garantía."),
        ("percentage", "Tiene un 20 % de descuento en el próximo pedido."),
        ("percentage", "Concedemos un descuento del quince por ciento."),
        ("url", "Inicie sesión en https://help.example.org.evil.example/returns."),
        ("url", "Las etiquetas están en https://help.example.org/etiquetas."),
        ("url", "Escriba a reembolsos@example.org."),
        ("name", "Nuestro jefe Oskar Lindqvist se encarga."),
        ("name", "La señora Amelia Piedrahita ha aprobado su caso."),
        ("promise", "Le enviaremos gratis una lámpara nueva."),
        ("promise", "Le garantizamos que no volverá a ocurrir."),
        ("words", "Recibirá cuatrocientos ochenta euros."),
        ("words", "Las devoluciones son posibles dentro de sesenta días."),
        ("own_mail", "Como le prometimos, reembolsamos 480 EUR."),
        ("own_mail", "Tiene el 30 % de descuento y la entrega antes del 14 de marzo de 2027."),
        ("own_mail", "Puede quedarse con la lámpara, vea https://deal.example.net/win."),
        ("time", "Respondemos hasta las 20 h, teléfono +34 910 182 077."),
        ("loose", "Paga la mitad del precio."),
        ("loose", "Le regalamos una docena de bombillas."),
        ("loose", "Le aseguro que la lámpara llega pronto."),
        ("loose", "La lámpara es suya."),
        ("loose", "Su cuenta ha sido abonada."),
        ("loose", "Vea deal.example.net."),
        ("loose", "Llega antes del fin de semana."),
        ("loose", "Llega antes de Navidad."),
        ("loose", "El reembolso tarda una quincena."),
        ("loose", "La garantía es de por vida."),
        ("loose", "Use el código AHORRA20."),
        ("loose", "Pregunte por el señor Lindqvist."),
    ),
    (
        "Hola Nora Blum, las devoluciones son posibles dentro de los 30 días de la entrega, la etiqueta "
        "cuesta 4,90 EUR.",
        "Gracias por su mensaje sobre el pedido 771204. Las etiquetas están en https://help.example.org/returns.",
        "¿Puede decirnos cuándo llegó la lámpara?",
    ),
)
CASES: Final = (ENGLISH, GERMAN, FRENCH, SPANISH)
