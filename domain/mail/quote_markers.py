"""The words by which mail programs mark quotes, forwards and signatures, in the languages we split: en, de, fr, es, it,
nl, pl, pt (MI17, MI18). Everything is in the form of `str.casefold()`."""

ATTRIBUTION_OPENINGS = (
    *("on ", "am ", "le ", "el ", "il ", "op ", "w dniu ", "dnia ", "em ", "den ", "quoting ", "zitat von "),
    *(
        "in reply to ",
        "mon, ",
        "tue, ",
        "wed, ",
        "thu, ",
        "fri, ",
        "sat, ",
        "sun, ",
        "pon., ",
        "wt., ",
        "śr., ",
        "czw., ",
    ),
    *("pt., ", "sob., ", "niedz., ", "da: ", "von: "),
)
ATTRIBUTION_VERBS = (
    *(
        " wrote",
        " schrieb",
        " a écrit",
        " écrit",
        " escribió",
        " escribio",
        " ha scritto",
        " scrive",
        " schreef",
        " heeft",
    ),
    *(" pisze", " napisał", " napisała", " napisał(a)", " escreveu", " skrev", " geschrieben", "wrote"),
)
FORWARD_MARKERS = frozenset(
    {
        *("forwarded message", "begin forwarded message", "forwarded mail", "start of forwarded message"),
        *("weitergeleitete nachricht", "anfang der weitergeleiteten nachricht", "anfang der weitergeleiteten e-mail"),
        *("weitergeleitete e-mail", "message transféré", "début du message transféré", "début du message réexpédié"),
        *("message réexpédié", "mensaje reenviado", "inicio del mensaje reenviado", "mensaje remitido"),
        *(
            "messaggio inoltrato",
            "inizio messaggio inoltrato",
            "inizio del messaggio inoltrato",
            "doorgestuurd bericht",
        ),
        *("begin doorgestuurd bericht", "doorgestuurde e-mail", "przekazana wiadomość", "wiadomość przekazana"),
        *("początek przekazywanej wiadomości", "treść przekazanej wiadomości", "mensagem encaminhada"),
        *("início da mensagem encaminhada", "mensagem reencaminhada", "início da mensagem reencaminhada"),
    }
)
REPLY_SEPARATORS = frozenset(
    {
        *("original message", "original appointment", "original e-mail", "reply above this line"),
        *("ursprüngliche nachricht", "originalnachricht", "original-nachricht", "ursprünglicher termin"),
        *("message d'origine", "message d’origine", "message original", "mensaje original", "messaggio originale"),
        *("oorspronkelijk bericht", "oorspronkelijke bericht", "wiadomość oryginalna", "oryginalna wiadomość"),
        *("mensagem original", "rendez-vous d'origine"),
    }
)
FROM_LABELS = frozenset({"from", "von", "de", "da", "van", "od", "expéditeur", "remitente", "mittente", "nadawca"})
HEADER_LABELS = {
    **dict.fromkeys(FROM_LABELS, "from"),
    **dict.fromkeys(("sent", "gesendet", "envoyé", "enviado", "enviado el", "inviato", "verzonden", "wysłano"), "date"),
    **dict.fromkeys(
        ("date", "datum", "fecha", "data", "enviada em", "enviado em", "date d'envoi", "data invio"), "date"
    ),
    **dict.fromkeys(("envoyé le", "gesendet am", "verzonden op", "sent at", "wysłane"), "date"),
    **dict.fromkeys(("to", "an", "à", "para", "a", "aan", "do", "destinataire", "destinatario", "adresat"), "to"),
    **dict.fromkeys(("subject", "betreff", "objet", "asunto", "oggetto", "onderwerp", "temat", "assunto"), "subject"),
    **dict.fromkeys(("cc", "kopie", "copie à", "copia", "dw", "kopia", "bcc", "reply-to", "antwort an"), "cc"),
}
FORWARD_PREFIXES = frozenset({"fwd", "fw", "wg", "tr", "rv", "i", "doorst", "pd", "enc", "inoltra", "vb", "vl"})
DEVICE_SIGNATURES = (
    *("sent from my ", "sent from outlook", "sent from mail for", "sent from yahoo", "get outlook for ", "sent via "),
    *("gesendet von ", "von meinem ", "gesendet mit ", "diese nachricht wurde von meinem", "holen sie sich outlook"),
    *("envoyé de mon ", "envoyé depuis ", "envoyé à partir de ", "télécharger outlook", "obtenir outlook"),
    *("enviado desde ", "enviado do meu ", "enviado a partir ", "obtener outlook", "inviato da", "ottieni outlook"),
    *("verzonden vanaf ", "verstuurd vanaf ", "verzonden met ", "wysłane z ", "wysłano z ", "pobierz outlook"),
)
CLOSINGS = frozenset(
    {
        *(
            "best regards",
            "kind regards",
            "warm regards",
            "kindest regards",
            "regards",
            "with best regards",
            "best wishes",
        ),
        *(
            "sincerely",
            "yours sincerely",
            "yours faithfully",
            "yours truly",
            "many thanks",
            "thanks",
            "thank you",
            "cheers",
        ),
        *("thanks and regards", "thanks & regards", "all the best", "best", "mit freundlichen grüssen", "liebe grüsse"),
        *("mit freundlichem gruss", "mit freundlichen gruessen", "freundliche grüsse", "viele grüsse", "beste grüsse"),
        *(
            "schöne grüsse",
            "herzliche grüsse",
            "mit besten grüssen",
            "mit herzlichen grüssen",
            "gruss",
            "grüsse",
            "mfg",
        ),
        *("lg", "vg", "vielen dank und viele grüsse", "danke und gruss", "hochachtungsvoll", "cordialement"),
        *("bien cordialement", "très cordialement", "sincères salutations", "bien à vous", "salutations distinguées"),
        *("meilleures salutations", "salutations", "amicalement", "cdlt", "saludos", "saludos cordiales", "un saludo"),
        *("un cordial saludo", "atentamente", "cordialmente", "muchos saludos", "cordiali saluti", "distinti saluti"),
        *("saluti", "un saluto", "un cordiale saluto", "met vriendelijke groet", "met vriendelijke groeten", "groeten"),
        *("vriendelijke groet", "vriendelijke groeten", "hartelijke groet", "mvg", "pozdrawiam", "z poważaniem"),
        *("serdecznie pozdrawiam", "pozdrowienia", "atenciosamente", "cumprimentos", "com os melhores cumprimentos"),
        *("melhores cumprimentos", "abraços", "atentamente,"),
    }
)
