"""Rule AU9: how absence notes and delivery failures title themselves. A phrase counts only where a subject or a part
of it begins, so that a question about out-of-office notes is not taken for one; words that customers use of parcels
and holidays count only if they are all that this part says."""

import re

from domain.threads.subjects import normalized_subject

_ABSENCE = {
    "en": "automatic reply|automatic response|automated reply|automated response|auto reply|auto-reply|autoreply|"
    "auto response|auto-response|autoresponse|autoresponder|auto-responder|out of office|out of the office|"
    "out-of-office|i am out of|i'm out of|away from the office|away from my desk|vacation reply|vacation response|"
    "vacation notice|on annual leave|on parental leave|on maternity leave|currently out of|currently away",
    "de": "automatische antwort|automatische rückantwort|automatische e-mail-antwort|automatische email-antwort|"
    "automatisierte antwort|autom. antwort|automatische nachricht|automatische eingangsbestätigung|"
    "abwesenheitsnotiz|abwesenheitsmeldung|abwesenheitsnachricht|abwesenheitsbenachrichtigung|"
    "abwesenheitsassistent|ich bin nicht im büro|nicht im büro|nicht im haus|außer haus|"
    "ich bin im urlaub|bin im urlaub|urlaubsabwesenheit|urlaubsnotiz|urlaubsmeldung",
    "fr": "réponse automatique|reponse automatique|réponse d'absence|message d'absence|notification d'absence|"
    "avis d'absence|absence du bureau|absent du bureau|absente du bureau|je suis absent|je suis absente|"
    "actuellement absent|actuellement absente|message automatique",
    "es": "respuesta automática|respuesta automatica|contestación automática|mensaje automático|fuera de la oficina|"
    "fuera de oficina|ausente de la oficina|aviso de ausencia|estoy de vacaciones|estoy ausente",
    "it": "risposta automatica|messaggio automatico|fuori ufficio|assente dall'ufficio|assenza dall'ufficio|"
    "avviso di assenza|sono in ferie|sono assente",
    "nl": "automatisch antwoord|automatische reactie|automatisch bericht|automatische beantwoording|"
    "afwezigheidsbericht|afwezigheidsmelding|afwezigheidsassistent|niet op kantoor|buiten kantoor",
    "pt": "resposta automática|resposta automatica|mensagem automática|fora do escritório|fora do escritorio|"
    "ausente do escritório|ausência do escritório|aviso de ausência|ausência temporária|estou de férias|"
    "estou ausente",
    "pl": "automatyczna odpowiedź|odpowiedź automatyczna|automatyczna odpowiedz|wiadomość automatyczna|autoodpowiedź|"
    "autoodpowiedz|poza biurem|nieobecność w biurze|jestem na urlopie",
}
_ABSENCE_ALONE = {
    "en": "ooo|i am away|i'm away|on vacation|on holiday|absence notice",
    "de": "abwesenheit|abwesend|im urlaub",
    "fr": "absence|absent|absente|en congé|en congés|en vacances",
    "es": "ausencia|ausente|de vacaciones",
    "it": "assenza|assente|fuori sede|in ferie",
    "nl": "afwezigheid|afwezig|niet aanwezig|met vakantie|op vakantie",
    "pt": "ausência|ausente|de férias|em férias",
    "pl": "nieobecność|nieobecny|nieobecna|na urlopie",
}
_FAILURE = {
    "en": "undelivered mail|undelivered message|undeliverable|nondeliverable mail|non-deliverable mail|"
    "delivery status notification|failure delivery|failure notice|failure notification|failed mail|"
    "mail delivery failed|mail delivery failure|mail delivery error|mail delivery problem|mail delivery status|"
    "mail delivery system|mail delivery subsystem|mail system error|mail returned|mail undeliverable|"
    "mail not delivered|mail could not be delivered|mail transaction failed|mail rejected|"
    "email could not be delivered|email not delivered|email delivery failure|e-mail could not be delivered|"
    "e-mail delivery failure|message not delivered|message undeliverable|message could not be delivered|"
    "message cannot be delivered|message delivery failure|message delivery failed|"
    "your message could not be delivered|your mail could not be delivered|returned mail|returned email|"
    "returned message|returning message to sender|bounced mail|bounced message|could not send message|user unknown|"
    "unknown user|nonexistent mailbox|mailbox unavailable|notice of nondelivery|smtp mail failed|"
    "unsuccessful mail delivery|permanent delivery failure",
    "de": "unzustellbar|unzustellbare nachricht|unzustellbare mail|e-mail nicht zustellbar|mail nicht zustellbar|"
    "nachricht nicht zustellbar|fehler bei der nachrichtenzustellung|benachrichtigung zum zustellungsstatus|"
    "benachrichtigung über den zustellungsstatus|nachricht konnte nicht zugestellt|mail konnte nicht zugestellt|"
    "e-mail konnte nicht zugestellt|ihre nachricht konnte nicht|ihre e-mail konnte nicht|"
    "zurückgewiesene nachricht|unzustellbarkeitsbericht",
    "fr": "échec de la remise|echec de la remise|échec de remise|notification d'état de remise|"
    "notification de l'état de remise|notification d'échec|message non distribué|message non délivré|"
    "message non remis|courrier non délivré|courriel non distribué|impossible de remettre|avis de non-remise|"
    "avis de non remise|rapport de non-remise",
    "es": "mensaje no entregado|correo no entregado|correo devuelto|mensaje devuelto|error de entrega del mensaje|"
    "notificación de estado de entrega|notificación del estado de entrega",
    "it": "mancato recapito|avviso di mancato recapito|messaggio non recapitato|messaggio non consegnato|"
    "mancata consegna del messaggio|impossibile recapitare|non recapitabile|notifica dello stato del recapito|"
    "notifica sullo stato del recapito|notifica di mancato recapito|errore di recapito|posta non recapitata",
    "nl": "bericht niet afgeleverd|bericht niet bezorgd|bezorging van bericht mislukt|kan bericht niet bezorgen|"
    "melding over bezorgingsstatus|statusmelding van bezorging|onbestelbaar|onbestelbare mail",
    "pt": "mensagem não entregue|e-mail não entregue|e-mail devolvido|mensagem devolvida|"
    "erro na entrega da mensagem|notificação de status de entrega|notificação do estado da entrega|"
    "notificação de estado de entrega",
    "pl": "niedostarczona wiadomość|wiadomość niedostarczona|wiadomość nie została dostarczona|zwrot wiadomości|"
    "powiadomienie o stanie dostarczenia|powiadomienie o niedostarczeniu|raport o niedostarczeniu",
}
_FAILURE_ALONE = {
    "en": "undelivered|non delivery|non-delivery|nondelivery|unable to deliver|could not deliver|cannot deliver|"
    "delivery status|delivery notification|delivery report|delivery failure|delivery failed|delivery error|"
    "delivery has failed|delivery delayed|delivery temporarily delayed|delivery unsuccessful|delivery incomplete|"
    "failed delivery|mail delivery|mail failure|mail error|email failure|message rejected|message status|"
    "message delayed|failed message|returned to sender|return to sender",
    "de": "nicht zustellbar|zustellung fehlgeschlagen|zustellung nicht möglich|zustellfehler|zustellungsfehler|"
    "fehler bei der zustellung|zustellungsstatus|verzögerte zustellung|zustellung verzögert",
    "fr": "non remis|non distribué|non distribuable|échec de distribution|échec de la distribution|échec d'envoi|"
    "retour à l'expéditeur",
    "es": "no se puede entregar|no se pudo entregar|no se ha podido entregar|no entregado|no entregable|"
    "error en la entrega|fallo en la entrega|fallo de entrega|devuelto al remitente|imposible entregar",
    "it": "impossibile consegnare|mancata consegna|recapito non riuscito|consegna non riuscita|"
    "restituito al mittente",
    "nl": "niet bezorgd|niet-bezorgd|niet bezorgbaar|niet afgeleverd|bezorging mislukt|aflevering mislukt|"
    "kan niet worden bezorgd|bezorgingsstatus|afleverstatus|retour afzender",
    "pt": "não entregue|nao entregue|não é possível entregar|não foi possível entregar|devolvido ao remetente|"
    "devolvida ao remetente|falha na entrega|falha de entrega|falha no envio|impossível entregar",
    "pl": "niedostarczona|niedostarczone|nie dostarczono|nie można dostarczyć|nie udało się dostarczyć|"
    "zwrot poczty|zwrot do nadawcy|stan dostarczenia|błąd dostarczenia|błąd dostarczania|niepowodzenie dostarczenia",
}
_NOTICE_WORDS = "notification|notice|report|warning|alert|message"
_DATE_WORDS = "until|till|from|bis|vom|von|ab|du|au|jusqu'au|hasta|desde|del|fino|dal|tot|van|vanaf|até|ate|od|do"


def _alternatives(phrases: dict[str, str]) -> str:
    words = {normalized_subject(phrase) for line in phrases.values() for phrase in line.split("|")}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


_SEGMENT_END = re.compile(r"[\[\](){}:|*<>\"„“”«»–—!,]| - | -- |\. ")
_FAILURE_PHRASE = (
    f"(?:{_alternatives(_FAILURE)}|message [^ ]{{1,80}} delayed)(?!\\w)"
    f"|(?:{_alternatives(_FAILURE_ALONE)})(?: (?:{_NOTICE_WORDS}))?\\.?\\Z"
)
_ABSENCE_PHRASE = (
    f"(?:{_alternatives(_ABSENCE)})(?!\\w)"
    f"|(?:{_alternatives(_ABSENCE_ALONE)})(?:\\.?\\Z| (?:(?:{_DATE_WORDS}) |[0-9]))"
)
_FAILURES = re.compile(_FAILURE_PHRASE)
_ANY = re.compile(f"{_FAILURE_PHRASE}|{_ABSENCE_PHRASE}")
_AUTO_TAG = re.compile(r"auto ?:")


def machine_subject(subject: str) -> str:
    """The absence or failure phrase a subject (or a part of it) begins with, in lower case; empty if none."""
    folded = normalized_subject(subject)
    return "auto:" if _AUTO_TAG.match(folded) else _first_phrase(_ANY, folded)


def failure_subject(subject: str) -> str:
    """The delivery-failure phrase a subject (or a part of it) begins with, in lower case; empty if none."""
    return _first_phrase(_FAILURES, normalized_subject(subject))


def _first_phrase(pattern: re.Pattern[str], folded: str) -> str:
    for segment in _SEGMENT_END.split(folded):
        if found := pattern.match(segment.strip()):
            return found[0].strip()
    return ""
