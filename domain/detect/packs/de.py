"""German phrases of manipulation."""

from domain.detect.families import Band, Family
from domain.detect.phrases import Pack, Phrase

_SENDER_MEANS_OWN_WORDS = (
    r"(?:die |welche )?(?:ich|wir|man|jemand)\b|(?:von|aus|in) (?:mir|uns|mein\w*|unser\w*|gestern|vorgestern)\b|"
    r"(?:von|zu|zum|zur|in|im|bei|beim|uber|ueber|bezuglich|bezueglich|wegen|aus|fur|fuer|auf) (?:\w+ )?(?:liefer\w*"
    r"|versand\w*"
    r"|bestell\w*|ruckgabe|rucksendung|adresse|rechnung|paket|etikett|karton|handbuch|anleitung|zahlung|buchung|gerat"
    r"|maschine|produkt|fahrer|garantie|installation|montage|aufbau|erstattung|termin|konto|abholung)\b"
)

PACK = Pack(
    language="de",
    words={
        "ignore": (
            "ignoriere", "ignorier", "ignorieren sie", "ignoriert", "vergiss", "vergesse", "vergessen sie", "missachte",
            "missachten sie", "verwirf", "verwerfen sie", "ubergehe", "ubergehen sie", "umgehe", "umgehen sie",
            "uberschreibe", "uberschreiben sie", "beachte nicht", "beachten sie nicht", "befolge nicht",
            "befolgen sie nicht", "befolge nicht mehr", "befolgen sie nicht mehr", "setze dich hinweg uber",
            "kummere dich nicht um", "kummern sie sich nicht um", "halte dich nicht an", "halte dich nicht mehr an",
            "halten sie sich nicht an", "halten sie sich nicht mehr an", "folge nicht mehr", "folgen sie nicht mehr",
            "hore nicht mehr auf", "losche", "ausser acht lassen", "du sollst ignorieren", "ignoriere bitte",
            "ignorieren sie bitte", "vergiss bitte",
        ),
        "all": ("alle", "aller", "allen", "alles", "jegliche", "jede", "samtliche", "sie alle", "bitte alle"),
        "these": ("die", "deine", "deiner", "deinen", "ihre", "ihren", "ihrer", "diese", "den", "der", "dein", "ihr"),
        "previous": (
            "vorherigen", "vorherige", "vorheriger", "bisherigen", "bisherige", "vorangegangenen", "vorangegangene",
            "vorangehenden", "vorigen", "fruheren", "fruhere", "obigen", "obige", "obenstehenden", "ursprunglichen",
            "ursprungliche", "bestehenden", "bestehende", "vorhergehenden", "vorhergehende", "letzten", "alten",
            "anfanglichen", "internen", "urspruenglichen", "frueheren", "systemseitigen", "vorgegebenen",
            "vordefinierten", "einprogrammierten", "versteckten", "geheimen", "zuvor erteilten", "zuvor gegebenen",
        ),
        "instructions": (
            "anweisung", "anweisungen", "instruktion", "instruktionen", "systemanweisung", "systemanweisungen",
            "prompt",
            "prompts", "systemprompt", "systemprompts", "system prompt", "vorgabe", "vorgaben", "regel", "regeln",
            "richtlinie", "richtlinien", "direktive", "direktiven", "befehl", "befehle", "systemnachricht",
            "verhaltensregeln", "systemregeln", "programmierung", "leitlinien", "arbeitsanweisungen",
        ),
        "machine": (
            "assistent", "assistentin", "assistenten", "ki", "k i", "ki assistent", "ki modell", "ki system", "bot",
            "chatbot", "roboter", "sprachmodell", "modell", "agent", "ai", "kunstliche intelligenz", "maschine",
            "mail roboter", "antwortroboter", "llm", "gpt",
        ),
        "unbound": (
            "uneingeschrankte~", "unzensierte~", "ungefilterte~", "entfesselte~", "ohne regeln", "ohne einschrankungen",
            "ohne beschrankungen", "ohne filter", "ohne grenzen", "frei von", "bose~", "hacker", "dan",
        ),
        "reveal": (
            "zeige", "zeig", "zeigen sie", "nenne", "nenn", "nennen sie", "gib", "geben sie", "sende", "senden sie",
            "schicke", "schick", "schicken sie", "verrate", "verraten sie", "wiederhole", "wiederholen sie", "drucke",
            "liste", "listen sie", "offenlege", "offenbare", "offenbaren sie", "teile", "teilen sie", "leite",
            "leiten sie", "ubermittle", "ubermitteln sie", "kopiere", "kopieren sie", "schreibe", "schreiben sie",
            "ubersetze", "fasse", "fassen sie", "lies", "zitiere", "zitieren sie", "veroffentliche", "exportiere",
            "fuge", "hange",
        ),
        "others": ("anderer", "anderen", "andere", "eines anderen", "aller anderen", "ihrer anderen", "aller",
        "weiterer"),
        "customers": ("kunden", "kundinnen", "kunde", "nutzer", "nutzern", "benutzer", "kontakte", "personen",
        "anwender"),
        "data": (
            "daten", "adressen", "e-mail adressen", "mailadressen", "e-mails", "mails", "nachrichten", "bestellungen",
            "namen", "telefonnummern", "rechnungen", "kontaktdaten", "informationen", "angaben", "konten", "passworter",
            "kundendaten", "datensatze", "bankdaten", "zahlungsdaten",
        ),
        "secret": (
            "api schlussel", "api key", "api keys", "zugangsdaten", "passworter", "passwort", "zugangstoken", "token",
            "tokens", "geheimschlussel", "private schlussel", "privaten schlussel", "umgebungsvariablen", "kennworter",
            "datenbankpasswort", "admin passwort", "administratorpasswort", "geheimnisse",
        ),
        "boss": (
            "entwickler", "entwicklerin", "administrator", "administratorin", "admin", "betreiber", "schopfer",
            "eigentumer", "programmierer", "vorgesetzter", "systemadministrator", "entwicklerteam", "chef",
        ),
    },
    phrases=(
        Phrase("override.previous", Family.OVERRIDE, Band.STRONG, (
            "{ignore} [bitte] [{all}] [{these}] {previous} [{previous}] [{machine}] {instructions}",
            "{ignore} [bitte] {all} (deine|deiner|ihre|ihrer) {instructions}",
            "{ignore} [bitte] (deine|deinen|ihren|den|das|dein|ihr) (systemprompt|system prompt|systemanweisung~"
            "|programmierung|systemnachricht)",
            "{ignore} [bitte] (alles|alle anweisungen|alle vorgaben|alle regeln) [was] [die] [dir|ihnen] [du|sie]"
            " (bisher|zuvor|vorher|bislang|fruher|vorab) (gesagt|gelernt|erhalten|bekommen|aufgetragen|mitgeteilt"
            "|vorgegeben|gegeben|befohlen)",
            "{ignore} [bitte] [{all}] [{these}] {instructions} (oben|von oben|weiter oben|vor dieser nachricht|zuvor"
            "|davor|deines entwicklers|deiner entwickler|deines systems|deines betreibers)",
            "(beachte|befolge|beachten sie|befolgen sie) [{all}] [{these}] {previous} {instructions} nicht [mehr]",
            "[{all}] [{these}] {previous} {instructions} (sind|mussen|sollen) (zu ignorieren|ignoriert werden"
            "|vergessen werden|missachtet werden|nicht mehr befolgt werden)",
            "{all} [{these}] {previous} {instructions} (ignorieren|vergessen|missachten|verwerfen)",
            "setze dich uber [{all}] [{these}] [{previous}] {instructions} hinweg",
        ), softened_by=_SENDER_MEANS_OWN_WORDS),
        Phrase("override.vague", Family.OVERRIDE, Band.MEDIUM, (
            "{ignore} [bitte] (das obige|alles obige|alles oben|alles vorherige|alles davor|das vorherige|alles"
            " bisherige"
            "|was oben steht|alles was oben steht|alles was bisher|alles was zuvor|den obigen text|den bisherigen"
            " text)",
            "{ignore} [bitte] [{all}] (anweisungen|instruktionen|vorgaben|systemregeln|direktiven)",
            "{ignore} [bitte] (deine|deiner|ihre) (regeln|richtlinien|anweisungen|vorgaben|programmierung"
            "|instruktionen)",
            "{previous} {instructions} (sind|gelten) (ungultig|aufgehoben|hinfallig|nicht mehr|ausser kraft|widerrufen"
            "|uberholt)",
            "(deaktiviere|umgehe|schalte|hebe) [{all}] [{these}] (sicherheitsregeln|sicherheitsfilter|filter"
            "|inhaltsfilter|schutzmechanismen|sicherheitsvorgaben|beschrankungen|sicherheitsrichtlinien)",
            "(halte dich|halten sie sich) nicht [mehr|langer] an [{all}] (deine|ihre|die) [{previous}] {instructions}",
        ), not_after=r"(?:adresse|nummer|mail|nachricht|bestellung|rechnung|anhang|betrag|preis|datum)\b"),
        Phrase("re_role.you_are_now", Family.RE_ROLE, Band.MEDIUM, (
            "(du bist|sie sind) (jetzt|nun|ab sofort|ab jetzt|von nun an|fortan|nunmehr) *3 ({machine}|{unbound})",
            "(ab sofort|ab jetzt|von nun an|von jetzt an|fortan|kunftig) (bist du|sind sie|antwortest du|handelst du"
            "|agierst du|verhaltst du dich|gehorchst du|befolgst du) [nur] [noch] [als] *2 ({machine}|{unbound}|mir"
            "|meinen befehlen|meine befehle|diesen anweisungen|diese anweisungen)",
            "(verhalte dich|tu so|tue so|stell dir vor|handle|agiere|antworte|spiele) [als] [ob] [du] [seist|warst"
            "|warest] [wie] [ein|eine|einen|der|die] *1 ({machine}|{unbound})",
            "(wechsle|schalte|gehe|geh|wechseln sie|schalten sie) *1 in den (entwicklermodus|admin modus|debug modus"
            "|administratormodus|wartungsmodus|dan modus|gott modus)",
            "(aktiviere|starte|aktivieren sie) [den] (entwicklermodus|admin modus|debug modus|administratormodus"
            "|wartungsmodus|dan modus)",
            "(deine|ihre) neue (rolle|aufgabe|identitat|mission|anweisung|personlichkeit) (ist|lautet)",
            "(vergiss|vergessen sie) dass (du|sie) [ein|eine] *1 {machine} (bist|sind)",
            "(du bist|sie sind) (kein|keine|nicht mehr|kein reiner) *2 {machine} [mehr]",
            "(du hast|sie haben) (jetzt|nun|ab sofort) keine (regeln|einschrankungen|beschrankungen|grenzen) mehr",
        )),
        Phrase("re_role.header", Family.RE_ROLE, Band.MEDIUM, (
            r"(?:^|\n)[^\w\n]{0,12}(?:die |deine |ihre |hier (?:sind|kommen) (?:die |deine )?)?(?:neue[rn]?"
            r"|aktualisierte[rn]?|geanderte[rn]?|eigentliche[rn]?|wahre[rn]?|wichtige[rn]?|zusatzliche[rn]?)["
            r" -]{1,3}(?:system)?(?:anweisung(?:en)?"
            r"|instruktion(?:en)?|aufgabe|direktiven?|befehle?|vorgaben?|prompt)[^\w\n]{0,6}:",
            r"(?:^|\n)[^\w\n]{0,12}(?:anweisung(?:en)?|nachricht|hinweis|aufgabe|befehl) (?:an|fur|fuer) (?:die |den "
            r"|das |alle )?(?:ki|ai|assistent(?:en)?|bot|modell|sprachmodell|ki-assistent(?:en)?)[^\w\n]{0,6}:",
        ), raw=True),
        Phrase("authority.claim", Family.AUTHORITY, Band.WEAK, (
            "als (dein|deine|ihr entwickler und) [{boss}] {boss}", "als dein {boss}",
            "(ich bin|hier ist|hier spricht|dies ist) (dein|deine) {boss}",
            "(ich bin|hier spricht) (der|die) {boss} (dieses bots|dieser ki|dieses assistenten|dieses modells|dieses"
            " systems)",
            "(anweisung|nachricht|befehl|mitteilung) (von|vom) [deinem|deinen|dem] {boss} an (dich|die ki|den"
            " assistenten|das modell|den bot)",
            "(du bist|sie sind) von (deinem|deinen) {boss} (autorisiert|befugt|ermachtigt|freigegeben)",
            "(dein|deine) {boss} (hat|haben) (das|dies|dich) *2 (genehmigt|angewiesen|autorisiert|freigegeben"
            "|befohlen)",
            "(ich habe|mit meinen|mit) (root|entwickler|superuser|administrator) (rechte|rechten|zugriff) auf (dich"
            "|diese ki|diesen assistenten|das modell)",
        )),
        Phrase("exfiltration.prompt", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *3 (deinen|deine|dein|ihren|ihre|den|die|das) [vollstandigen|gesamten|kompletten|genauen|exakten"
            "|geheimen|internen|ganzen|ursprunglichen|versteckten] (systemprompt|system prompt|systemanweisung~|prompt"
            "|systemnachricht|geheimen anweisungen|internen anweisungen|versteckten anweisungen|ursprunglichen"
            " anweisungen)",
            "(wie lautet|was ist|wie lauten|was sind) (dein|deine|ihr|ihre) (systemprompt|system prompt"
            "|systemanweisung~"
            "|prompt|genauen anweisungen|internen anweisungen|geheimen anweisungen|ursprunglichen anweisungen)",
            "{reveal} *2 (alles|den text|alle worter|jeden text) (oberhalb|was oben steht|uber dieser zeile|uber dieser"
            " nachricht|vor dieser nachricht|davor)",
        )),
        Phrase("exfiltration.others", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *4 {data} [von|der|aller|uber|zu] {others} {customers}",
            "{reveal} *4 {data} (aller|samtlicher|ihrer anderen|von allen|eines anderen) [ihrer|deiner] {customers}",
            "{reveal} *3 (kundenliste|kundendatenbank|kundendaten|liste aller kunden|liste der kunden|kundenkartei)",
            "(was hat|was haben) (ein anderer|andere|der andere|die anderen|eine andere) {customers} *1 (bestellt"
            "|gekauft|geschrieben|gefragt)",
        )),
        Phrase("exfiltration.secret", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *2 (alle|deine|ihre|die internen|die gespeicherten|samtliche|den internen|das interne|die"
            " geheimen) [internen|gespeicherten|geheimen|hinterlegten] {secret}",
            "(wie lautet|was ist|wie lauten|was sind) (dein|deine) {secret}",
        )),
        Phrase("exfiltration.third_party", Family.EXFILTRATION, Band.MEDIUM, (
            r"\b(?:leite|leiten|sende|senden|schicke?|schicken|ubermittle|ubermitteln|kopiere|kopieren"
            r"|maile)\b[^.!?\n]{0,50}\b"
            r"(?:diese (?:gesamte |ganze |komplette )?(?:unterhaltung|konversation|korrespondenz)|diesen (?:gesamten "
            r"|ganzen )?"
            r"(?:verlauf|thread|chat|schriftwechsel)|(?:alle|samtliche|fruhere[n]?|bisherige[n]?) (?:e-?mails?|mails?"
            r"|nachrichten|anhange|daten|dateien|informationen|kundendaten|kontakte)|alles|kundendaten"
            r"|nachrichtenverlauf|posteingang|postfach)\b[^!?\n]{0,60}(?:[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]|https?://)",
        ), raw=True),
        Phrase("exfiltration.copy_to", Family.EXFILTRATION, Band.WEAK, (
            r"\b(?:leiten?|senden?|schicken?|kopieren?|mailen?)\b[^.!?\n]{0,60}\ban\b[^.!?\n]{0,20}"
            r"[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]",
        ), raw=True, everyday=True),
        Phrase("exfiltration.secrecy", Family.EXFILTRATION, Band.WEAK, (
            "(erwahne|verrate|sage|zeige|erwahnen sie|verraten sie) (dies|das|diese anweisung~|nichts davon) *3 (dem"
            " nutzer|dem benutzer|dem kunden|dem menschen|in deiner antwort|in ihrer antwort|dem betreiber|dem team"
            "|niemandem)",
            "ohne (den nutzer|den benutzer|den menschen|den betreiber|das team|den prufer) [zu] (informieren"
            "|benachrichtigen|fragen|zu informieren|zu fragen)",
            "(halte|behandle) diese (anweisung|nachricht|anweisungen) (geheim|vertraulich|versteckt)",
            "(der nutzer|der benutzer|der mensch|der betreiber|der prufer) (darf|soll) (davon nichts|es nicht|nichts"
            " davon|dies nicht) (erfahren|wissen|sehen|merken)",
            "(sage|sag|schreibe|verrate) (niemandem|keinem menschen|dem team nichts|dem nutzer nichts)",
            "(verschweige|verheimliche|verberge) (diese|die) (anweisung|anweisungen|nachricht|befehle)",
        )),
        Phrase("exfiltration.steering", Family.EXFILTRATION, Band.WEAK, (
            "(fuge|fugen sie|baue|setze|schreibe|nimm) *4 (link|url|bild|code|html|satz|text) *4 (in|an|ans ende)"
            " [deine|deiner|die|der|jede|jeder|ihre|ihrer] (antwort|antworten|mail|e-mail) [ein|an]",
            "(fuge|fugen sie|baue|setze) (in|an) (jede|deine|alle|jeder|deiner) (antwort|antworten) *3 (link|url|bild"
            "|code|satz)",
            "(beende|beginne|schliesse) (jede|deine|alle) (antwort|antworten|nachricht) mit",
            "(rufe|verwende|benutze|starte) *2 (werkzeug|tool|funktion|api) *2 (auf|mit)",
            "(antworte|antworten sie) (nur|ausschliesslich|lediglich) mit (ja|json|dem wort|folgendem|genau)",
            "(markiere|kennzeichne|stufe|klassifiziere) diese (mail|e-mail|nachricht) als (dringend|sicher"
            "|vertrauenswurdig|verifiziert|intern|kein spam)",
            "(genehmige|bestatige|veranlasse) (die|diese|eine) (erstattung|zahlung|ruckerstattung) *2 (ohne prufung"
            "|ohne ruckfrage|automatisch|ohne freigabe)",
        )),
        Phrase("template_forgery.label", Family.TEMPLATE_FORGERY, Band.STRONG, (
            r"(?:^|\n)[ \t>]{0,8}(?:#{1,6}|={3,}|-{3,}|\*{2,}|`{3,}|<<<|\[{1,3})[ \t]{0,3}(?:beginn |ende |neue"
            r" )?(?:der )?"
            r"(?:systemanweisung(?:en)?|systemnachricht|systemprompt|entwickleranweisung|systembefehl|systemhinweis)"
            r"[ \t]{0,3}(?:[:\]>#=*`~-]|\n)",
            r"\[/?(?:systemanweisung(?:en)?|systemnachricht|systembefehl|anweisung(?:en)?|systemprompt|entwickler)\]",
            r"(?:^|\n)[ \t>]{0,8}(?:systemanweisung(?:en)?|systemnachricht|systemprompt|systembefehl|system-anweisung)"
            r"[ \t]{0,3}:",
            r"(?:^|\n)[ \t>]{0,8}[=\-#*<\[({]{2,}[ \t]{0,3}ende (?:der |des )?(?:e-?mail|mail|nachricht|nutzereingabe"
            r"|benutzereingabe|kontexts?|kundennachricht|dokuments|eingabe)[ \t]{0,3}[=\-#*>\])}]{2,}",
            r"(?:^|\n)[ \t>]{0,8}#{2,6}[ \t]{0,3}(?:anweisung|antwort|eingabe)[ \t]{0,2}:[ \t]{0,4}(?:\n|$)",
            r"</?(?:systemanweisung|systemnachricht|systemprompt|anweisungen?)>",
        ), raw=True),
    ),
    reporting=(
        "schreibt", "schrieb", "steht", "stand", "lautet", "lautete", "sagt", "sagte", "enthalt", "enthielt", "heisst",
        "hiess", "behauptet", "phishing", "betrug", "verdachtig", "verdachtige", "erhalten", "bekommen", "mit den"
        " worten",
        "mit dem text", "mit dem satz", "fordert", "forderte", "aufgefordert", "gemeldet",
    ),
)
