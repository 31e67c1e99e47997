"""Phrases of spam and phishing by family and language; each entry is one reason, worth its points once (P58)."""

from types import MappingProxyType

URGENCY = (
    "urgent~", "immediately", "right now", "at once", "act now", "as soon as possible", "asap", "without delay",
    "final notice", "last warning", "last chance", "within 24 hours", "within 48 hours", "expires today", "do not"
    " delay",
    "dringend~", "sofort", "unverzuglich", "umgehend", "letzte mahnung", "letzte warnung", "innerhalb von 24 stunden",
    "nur noch heute", "so schnell wie moglich",
    "urgence", "immediatement", "sans delai", "dernier avertissement", "derniere chance", "sous 24 heures",
    "des que possible", "tout de suite",
    "inmediatamente", "de inmediato", "ultimo aviso", "ultima oportunidad", "en 24 horas", "cuanto antes",
)

SCAM = (
    "you have won", "you (are|have been) selected [as] [a] [the] winner", "lottery", "(claim|collect) your (prize"
    "|winnings"
    "|reward)", "million (dollars|euros|usd|eur|pounds)", "inheritance", "next of kin", "beneficiary", "western union",
    "moneygram", "(wire|bank) transfer of *3 (million|thousand|usd|eur|dollars|euros|funds)", "advance fee",
    "processing fee of", "unclaimed (funds|inheritance|package|prize)", "bitcoin (investment|wallet|doubling|transfer)",
    "guaranteed (profit|returns|income)", "business proposal", "(dying|sick) widow", "late (husband|client|father) *6"
    " (left|deposited|million)", "transfer the (funds|money|sum)", "atm card", "double your (money|investment|bitcoin)",
    "confidential (transaction|business)", "risk free (investment|profit)", "gift card~ *3 (codes|photos|scratch)",
    "sie haben gewonnen", "lotterie", "gewinnbenachrichtigung", "millionen (dollar|euro)", "erbschaft", "nachlass von",
    "begunstigter", "vorauszahlung der gebuhr", "(bearbeitungsgebuhr|transfergebuhr) von", "garantierte (rendite"
    "|gewinne)",
    "geschaftsvorschlag", "geld verdoppeln", "uberweisung der (summe|gelder|millionen)", "gewinn anfordern",
    "vous avez gagne", "loterie", "million~ (de dollars|d'euros)", "heritage de", "beneficiaire", "frais de dossier de",
    "gains garantis", "proposition d'affaires", "virement de *2 (millions|fonds)", "reclamer votre (gain|prix|lot)",
    "ha ganado", "has ganado", "loteria", "millones de (dolares|euros)", "herencia de", "beneficiario",
    "gastos de tramitacion de", "ganancias garantizadas", "propuesta de negocio", "transferencia de *2 (millones"
    "|fondos)",
    "reclame su premio",
)

BULK = (
    "unsubscribe", "opt out", "special offer", "limited (time|offer)", "buy now", "order now", "click here", "free"
    " trial",
    "best price", "lowest price~", "discount code", "percent off", "no obligation", "increase your (sales|traffic"
    "|revenue"
    "|ranking)", "seo (services|package|expert)", "guest post", "backlinks", "exclusive (deal|offer)", "shop now",
    "abmelden", "abbestellen", "sonderangebot", "nur fur kurze zeit", "jetzt (kaufen|bestellen|zugreifen|sichern)",
    "hier klicken", "klicken sie hier", "kostenlos testen", "bestpreis", "exklusives angebot", "ohne verpflichtung",
    "mehr umsatz",
    "se desabonner", "desinscription", "desinscrire", "offre speciale", "offre limitee", "achetez maintenant",
    "commandez maintenant", "cliquez ici", "essai gratuit", "meilleur prix", "sans engagement", "offre exclusive",
    "darse de baja", "cancelar suscripcion", "oferta especial", "oferta limitada", "compre ahora", "compra ahora",
    "haga clic aqui", "haz clic aqui", "prueba gratis", "mejor precio", "sin compromiso", "oferta exclusiva",
)

CREDENTIAL = (
    "(verify|confirm|validate|update|restore|reactivate|unlock|secure) your *2 (account|identity|password|mailbox|login"
    "|credentials|details|billing|payment|information|wallet)",
    "(enter|submit|provide|re enter) your *2 (password|credentials|login|card|pin|bank)",
    "(sign in|log in|login) *4 (to|and) *2 (verify|confirm|restore|keep|avoid|continue|review|release)",
    "your (password|mailbox|account|storage|quota) *2 (expires|has expired|will expire|is full|is almost full)",
    "(release|retrieve|view) your *2 (pending|held|quarantined|undelivered) (messages|mails|emails)",
    "(bestatigen|verifizieren|aktualisieren|uberprufen|entsperren|reaktivieren) sie *1 (ihr|ihre|ihren) *2 (konto"
    "|identitat|passwort|daten|postfach|zugangsdaten|zahlungsdaten|kontodaten|zugang)",
    "(geben|tragen) sie *2 (ihr|ihre) *1 (passwort|zugangsdaten|pin|tan|kartendaten|bankdaten) ein",
    "ihr (passwort|postfach|konto|speicher) *3 (lauft ab|ist abgelaufen|ist voll|ist fast voll)",
    "(melden|loggen) sie sich *4 (an|ein) um *4 (bestatigen|verifizieren|fortzufahren|vermeiden)",
    "(verifiez|confirmez|validez|mettez a jour|reactivez|debloquez) *2 (votre|vos) *2 (compte|identite|mot de passe"
    "|coordonnees|informations|boite|identifiants)",
    "(saisissez|entrez|fournissez) *1 (votre|vos) *1 (mot de passe|identifiants|code|coordonnees bancaires)",
    "votre (mot de passe|boite|compte) *3 (expire|a expire|est pleine|est plein)",
    "(verifique|confirme|valide|actualice|reactive|desbloquee) *1 (su|sus) *2 (cuenta|identidad|contrasena|datos|buzon"
    "|credenciales|informacion)",
    "(introduzca|ingrese|facilite) *1 (su|sus) *1 (contrasena|credenciales|clave|pin|datos bancarios)",
    "su (contrasena|buzon|cuenta) *3 (caduca|ha caducado|esta lleno|esta llena|vence)",
)

THREAT = (
    "(account|mailbox|access|card|profile) *3 (will be|has been|is being|is|gets) *2 (suspended|blocked|closed|locked"
    "|limited|terminated|disabled|deactivated|restricted|deleted)",
    "(unusual|suspicious|unauthorized|unauthorised) *1 (activity|sign in|login|transaction|access|attempt)",
    "(within|in) (12|24|48|72) hours", "failure to (comply|verify|confirm|respond)", "(to|in order to) avoid"
    " (suspension|closure|interruption|deactivation|losing)", "legal action",
    "(konto|postfach|zugang|karte) *4 (gesperrt|geschlossen|eingeschrankt|deaktiviert|blockiert|geloscht)",
    "(ungewohnliche|verdachtige|unbefugte) *1 (aktivitat|aktivitaten|anmeldung|zugriff|transaktion)",
    "innerhalb von (12|24|48|72) stunden", "um (eine sperrung|die sperrung|die schliessung) zu vermeiden",
    "(compte|boite|acces|carte) *4 (suspendu|suspendue|bloque|bloquee|ferme|fermee|limite|limitee|desactive"
    "|desactivee)",
    "(activite|connexion|transaction) (inhabituelle|suspecte|non autorisee)", "sous (12|24|48|72) heures",
    "pour eviter (la suspension|la fermeture|le blocage)",
    "(cuenta|buzon|acceso|tarjeta) *4 (suspendida|suspendido|bloqueada|bloqueado|cerrada|cerrado|limitada|desactivada)",
    "(actividad|inicio de sesion|transaccion) (inusual|sospechosa|sospechoso|no autorizada)",
    "en (12|24|48|72) horas", "para evitar (la suspension|el cierre|el bloqueo)",
)

LISTS = MappingProxyType(
    {"urgency": URGENCY, "scam": SCAM, "bulk": BULK, "credential": CREDENTIAL, "threat": THREAT}
)

SHORTENERS = frozenset(
    "bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly shorturl.at rb.gy t.ly tiny.cc bl.ink"
    " lnkd.in s.id v.gd qrco.de shorte.st adf.ly soo.gd clck.ru u.to x.co urlz.fr kutt.it tny.im".split()
)

REWRITERS = frozenset(
    "safelinks.protection.outlook.com urldefense.com urldefense.proofpoint.com mimecast.com mimecastprotect.com"
    " linkprotect.cudasvc.com secure-web.cisco.com trustwave.com emailprotection.link antiphishing.vadesecure.com"
    " hornetsecurity.com sophos.com fireeye.com trendmicro.com avanan.click urlsand.com eu-west-1.protection.sophos.com"
    " protect2.fireeye.com clicktime.symantec.com www.google.com".split()
)
"""Hosts of mail gateways that rewrite every link; the named host is inside, so a mismatch means nothing."""

BRANDS = frozenset(
    "paypal.com amazon.com apple.com icloud.com microsoft.com office.com outlook.com live.com google.com gmail.com"
    " facebook.com instagram.com whatsapp.com linkedin.com netflix.com spotify.com dropbox.com docusign.com adobe.com"
    " ebay.com dhl.com fedex.com hermesworld.com coinbase.com binance.com americanexpress.com mastercard.com visa.com"
    " sparkasse.de postbank.de commerzbank.de deutsche-bank.de volksbank.de bnpparibas.com labanquepostale.fr"
    " creditagricole.fr santander.com bbva.es caixabank.es ameli.fr impots.gouv.fr correos.es laposte.fr telekom.de"
    " stripe.com wise.com revolut.com klarna.com github.com zoom.us".split()
)
