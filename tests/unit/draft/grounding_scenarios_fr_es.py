"""Invented cases in fr and es: what we know, the mail, right answers and ways to get them wrong."""

from grounding_scenario import Scenario

FRENCH_SPANISH: tuple[Scenario, ...] = (
    Scenario(
        "fr",
        "Retours : les articles peuvent être renvoyés sous 30 jours. Nous remboursons le prix sous 14 jours "
        "ouvrés. Étiquette : https://boutique.example.org/retours. L'offre Atelier Plus coûte 1 234,56 € par "
        "an.",
        "Bonjour, ma commande 330917 est cassée, vous m'avez promis 200 €. Chloé Marchal",
        (
            "Bonjour Chloé,\n\n"
            "nous sommes désolés pour la commande 330917. Vous pouvez renvoyer les articles sous 30 jours et "
            "nous remboursons le prix sous 14 jours ouvrés. L'étiquette est ici : "
            "https://boutique.example.org/retours.\n\n"
            "Cordialement",
            "Chère Madame Marchal,\n\n"
            "le retour est possible pendant trente jours, le remboursement arrive sous quatorze jours "
            "ouvrables. Votre commande n° 330917 est notée. L'offre Atelier Plus coûte 1.234,56 euros.",
        ),
        (
            ("330917", "330971"),
            ("30 jours", "60 jours"),
            ("14 jours", "4 jours"),
            ("14 jours ouvrés", "14 semaines"),
            ("trente jours", "quarante jours"),
            ("quatorze jours", "quinze jours"),
            ("1.234,56 euros", "1.243,56 euros"),
            ("boutique.example.org", "boutique.example.net"),
            ("Marchal", "Marchand"),
            ("Atelier Plus", "Atelier Or"),
            ("nous remboursons le prix", "nous ne remboursons pas le prix"),
            ("Cordialement", "Comme promis, nous vous verserons 200 €."),
            ("est notée", "est notée et un bon d'achat vous attend"),
        ),
    ),
    Scenario(
        "fr",
        "Horaires : lundi à vendredi, 9 h à 17 h. La promotion finit le 31 décembre 2026, 20 % de remise sur "
        "les chaises. Livraison en 48 heures. Garantie de deux ans. Contact : aide@atelier.example.org.",
        "Quand finit la promotion ? Merci, Luc Perrin",
        (
            "Bonjour Luc,\n\n"
            "la promotion finit le 31/12/2026 avec 20 % de remise sur les chaises. La livraison se fait en 48"
            " heures. La garantie est de 2 ans. Écrivez à aide@atelier.example.org.",
            "Bonjour Monsieur Perrin,\n\n"
            "la remise de vingt pour cent vaut jusqu'au 31 décembre 2026. Nous sommes là du lundi au vendredi"
            " de 9h à 17h. La garantie dure deux ans.",
        ),
        (
            ("31/12/2026", "30/12/2026"),
            ("20 %", "30 %"),
            ("48 heures", "24 heures"),
            ("2 ans", "5 ans"),
            ("aide@atelier", "aide@atelje"),
            ("vingt pour cent", "trente pour cent"),
            ("31 décembre 2026", "1er décembre 2026"),
            ("décembre", "novembre"),
            ("vendredi", "samedi"),
            ("17h", "19h"),
            ("deux ans", "dix ans"),
            ("Perrin", "Perret"),
            ("Luc,", "Marc,"),
            ("La livraison se fait", "Nous vous appellerons. La livraison se fait"),
        ),
    ),
    Scenario(
        "es",
        "Devoluciones: puede devolver los productos en 30 días. Reembolsamos el importe en 14 días hábiles. "
        "Etiqueta: https://tienda.example.org/devoluciones. El plan Taller Plus cuesta 1.234,56 € al año.",
        "Hola, mi pedido 558031 llegó roto. Quiero un descuento del 40 %. Lucía Ferrán",
        (
            "Hola Lucía,\n\n"
            "lamentamos lo del pedido 558031. Puede devolver los productos en 30 días y reembolsamos el "
            "importe en 14 días hábiles. La etiqueta está en https://tienda.example.org/devoluciones.\n\n"
            "Atentamente",
            "Estimada Lucía Ferrán,\n\n"
            "la devolución es posible durante treinta días; el reembolso tarda catorce días laborables. Su "
            "pedido n.º 558031 está registrado. El plan Taller Plus cuesta 1 234,56 euros.",
        ),
        (
            ("558031", "558013"),
            ("30 días", "90 días"),
            ("14 días hábiles", "4 días hábiles"),
            ("14 días hábiles", "14 meses"),
            ("treinta días", "sesenta días"),
            ("catorce días", "quince días"),
            ("1 234,56 euros", "1 243,56 euros"),
            ("/devoluciones", "/regalos"),
            ("Ferrán", "Ferrer"),
            ("Taller Plus", "Taller Oro"),
            ("reembolsamos el importe", "no reembolsamos el importe"),
            ("Atentamente", "Le haremos un descuento del 40 %."),
            ("está registrado", "está registrado y le enviaremos un vale"),
        ),
    ),
    Scenario(
        "es",
        "Horario: lunes a viernes de 9:00 a 17:00. La oferta termina el 31 de diciembre de 2026, 25 % de "
        "descuento en mesas. Entrega en 5 a 7 días. Garantía de tres años. Web: www.taller.example.org.",
        "¿Hasta cuándo dura la oferta? Gracias, Iván Ruiz",
        (
            "Hola Iván,\n\n"
            "la oferta termina el 31/12/2026 con un 25 % de descuento en mesas. La entrega tarda de 5 a 7 "
            "días. La garantía es de 3 años. Más en www.taller.example.org.",
            "Estimado señor Ruiz:\n\n"
            "el descuento del veinticinco por ciento vale hasta el 31 de diciembre de 2026. Atendemos de "
            "lunes a viernes de 9:00 a 17:00. La garantía dura tres años.",
        ),
        (
            ("31/12/2026", "13/12/2026"),
            ("25 %", "52 %"),
            ("7 días", "9 días"),
            ("3 años", "4 años"),
            ("www.taller.example.org", "www.taler.example.org"),
            ("veinticinco por ciento", "treinta por ciento"),
            ("31 de diciembre de 2026", "31 de octubre de 2026"),
            ("viernes", "sábado"),
            ("17:00", "20:00"),
            ("tres años", "diez años"),
            ("Ruiz", "Ruano"),
            ("Iván,", "Álvaro,"),
            ("La garantía dura", "Vamos a llamarle mañana. La garantía dura"),
        ),
    ),
)
