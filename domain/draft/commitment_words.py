"""The words that bind us, in four languages: refunds, discounts, guarantees and the like, and what negates them.

Every pattern is a flat alternation over one lower-case clause, one row for each of English, German, French and Spanish.
"""

import re


def _any_of(*rows: str) -> re.Pattern[str]:
    return re.compile("|".join(rows))


COMMITMENTS: dict[str, re.Pattern[str]] = {
    "refund": _any_of(
        r"refund|reimburs|money[ -]back",
        r"erstatt|geld zurück",
        r"rembours",
        r"reembols|devol[vu]\w{1,12} (?:el|su) (?:dinero|importe)",
    ),
    "replace": _any_of(
        r"replac|exchang", r"umtausch|umzutausch|austausch|ersatz|ersetz", r"remplac|échang", r"reemplaz|sustitu"
    ),
    "discount": _any_of(
        r"discount|rebate|half price",
        r"rabatt|nachlass|ermäßig|ermässig",
        r"\bremise|réduction|rabais",
        r"descuento|rebaja",
    ),
    "voucher": _any_of(
        r"voucher|coupon|gift card",
        r"gutschein",
        r"bons? d'achat|chèque-cadeau",
        r"cupón|cupones|\bun vale\b|\bvales\b",
    ),
    "credit": _any_of(
        r"\bcredit(?:ed)? (?:to|note|your)|store credit",
        r"gutschrift|gutschreib|gutgeschrieben",
        r"note de crédit|\bavoir de\b",
        r"nota de crédito|\babonar",
    ),
    "free": _any_of(
        r"free of c(?:harge|ost)|for free|\bfree (?:shipping|replacement|return|upgrade|repair|month|delivery)",
        r"(?:no|without) (?:\w{2,12} )?(?:cost|charge|fee)|complimentary",
        r"kostenlos|kostenfrei|gratis|unentgeltlich",
        r"gratuit|sans frais",
        r"sin (?:coste|costo|cargo|gastos)",
    ),
    "waive": _any_of(r"\bwaive", r"erlassen|erlass der", r"exonér", r"condonar"),
    "cancel": _any_of(r"cancel|rescind", r"kündig|storn", r"annul|résili", r"\banula"),
    "compensate": _any_of(
        r"compensat", r"entschädig|schadenersatz|schadensersatz", r"indemni|dédommag", r"compensa[rc]"
    ),
    "warranty": _any_of(r"guarant|warrant", r"garant|gewährleist"),
    "deliver": _any_of(
        r"\bship|deliver|dispatch",
        r"liefer|versand|versend|verschick|zustell",
        r"expédi|\blivr(?:ais|er|é|ons|ez)",
        r"envío|enviar|entreg",
    ),
    "extend": _any_of(r"\bexten[ds]", r"verlänger", r"prolong", r"prórrog|prorrog"),
    "liable": _any_of(r"\bliab|our fault", r"haftung|\bhaften|verschulden", r"responsab|notre faute", r"nuestra culpa"),
    "delete": _any_of(r"\bdelet", r"lösch", r"supprim", r"elimin"),
    "promised": _any_of(r"promis", r"versproch|versprech|zugesagt|zusicher|zugesichert", r"promet"),
}

# A clause with one of these speaks of what we or they will do, whatever the verb.
PROMISE_MARKERS = _any_of(
    r"\b(?:we|i)(?: will|'ll| shall| commit| ensure|(?: are|'re| am|'m) going to)\b|\bour \w{2,20} will\b",
    r"\byou(?: will|'ll) (?:receive|get|be (?:contacted|notified|informed|charged|paid|called))\b",
    r"\byou(?: are|'re) entitled\b",
    r"\b(?:wir|ich) werden?\b|\bwerden wir\b|\bwerde ich\b|\bsichern wir\b",
    r"\bsie (?:erhalten|bekommen)\b|\berhalten sie\b",
    r"\bnous (?:vous )?(?:allons|\w{2,20}rons)\b|\bnous nous engageons\b|\bje (?:vous )?\w{2,20}rai\b",
    r"\bvous (?:recevrez|obtiendrez|aurez)\b",
    r"\bvamos a\b|\b\w{2,20}remos\b|\brecibirá|\bobtendrá|\bnos comprometemos\b",
)
COURTESY = _any_of(
    r"happy to|glad to|pleased to|delighted to|look forward",
    r"gerne? (?:weiter|für sie|zur verfügung|helfen)",
    r"ravis? de|serons (?:ravis|heureux)|à votre (?:écoute|disposition)",
    r"encantados? de|estaremos (?:aquí|encantados)|a su disposición",
)
ACKNOWLEDGEMENT = _any_of(
    r"\bthank|\byour (?:\w{2,20} )?(?:question|request|inquiry|enquiry|message|mail|email|interest)",
    r"\byou (?:asked|are asking|wrote|mentioned|want|would like|requested)",
    r"vielen dank|danke|\bihre (?:\w{2,20} )?(?:frage|anfrage|nachricht|mail)",
    r"\bsie (?:fragen|möchten|wünschen|schreiben|baten)",
    r"\bmerci|\bvotre (?:demande|question|message|mail)|\bvous (?:souhaitez|demandez|avez demandé)",
    r"\bgracias|\bsu (?:consulta|solicitud|pregunta|mensaje|correo)|\b(?:desea|quiere|solicita)\b",
)
# To name a voucher is one thing, to hand one out another: the latter needs a source that hands it out as well.
HANDED_OUT = frozenset({"voucher", "credit", "compensate"})
HANDING_OUT = _any_of(
    r"\b(?:receive|get|gets|give|gives|grant|grants|offer|offers|issue|issued|credited|send you|here is|enjoy)\b",
    r"\b(?:erhalten|erhältst|bekommen|bekommst|geben|schenken|schreiben|gewähren|senden|schicken)\b",
    r"\b(?:recevrez|recevez|offrons|offert|donnons|accordons|attend|envoyons|enverrons|aurez)\b",
    r"\b(?:recibirá|recibe|regalamos|damos|daremos|ofrecemos|enviamos|enviaremos|tendrá|obtendrá)\b",
)
REQUEST = _any_of(
    r"\bplease\b|\bcould you\b",
    r"\bbitte\b|\bkönnen sie\b",
    r"s'il vous plaît|\bveuillez\b|\bpourriez\b",
    r"\bpor favor\b",
)
# Things a customer may be asked about without anything being promised; money and guarantees are not among them.
REQUESTED = frozenset({"deliver", "cancel", "delete", "replace"})
BINDING = _any_of(
    r"\b(?:we|i|will|shall|been|issued|granted|approved|entitled|receive)\b|'ll\b",
    r"\b(?:wir|ich|wird|werden|wurde|erhalten|bekommen)\b",
    r"\b(?:nous|je|sera|été|recevrez)\b",
    r"\b(?:vamos|será|sido|hemos|recibirá)\b",
)
RECEIPT = _any_of(
    r"\b(?:we|i) (?:have |'ve )?(?:received|understand|got)\b",
    r"\bwir haben [^,.]{0,60} erhalten\b",
    r"\bnous avons (?:bien )?reçu\b",
    r"\bhemos recibido\b",
)
HARMLESS_NEGATIONS = _any_of(
    r"\bno\.? ?#?\d|not only|no problem|no doubt|don't hesitate|do not hesitate",
    r"kein problem|nicht nur|zögern sie nicht",
    r"n'hésitez pas|pas de problème",
    r"no solo|no dude",
)
NEGATORS = frozenset(
    """not no never cannot unable neither nor nothing non
    nicht kein keine keinen keinem keiner nie niemals weder ausgeschlossen unmöglich
    ne pas jamais aucun aucune impossible
    nunca ningún ninguna tampoco imposible jamás""".split()
)
PRE_NEGATORS = frozenset({"without", "ohne", "sans", "sin"})
# These follow what they deny; the others lead it.
TRAILING_NEGATORS = frozenset("nicht pas ausgeschlossen unmöglich impossible imposible".split())
# Irregular past forms that a source and a draft often disagree in.
BASE_FORMS = {"sent": "send", "paid": "pay", "kept": "keep", "made": "make", "given": "give", "told": "tell"}
STOP_WORDS = frozenset(
    """the a an and or to of for in on at by with from this that these those it its is are be been was were will shall
    would can could you your we our us i me my as if so then also just very please will'll
    der die das den dem des ein eine einen einem einer und oder zu von für in im an am auf bei mit aus dies diese dieser
    ist sind sein wird werden wir uns unser unsere ich mich sie ihr ihre ihnen ihren als wenn so dann auch bitte
    le la les un une des du de et ou à pour en dans sur par avec ce cette est sont être nous notre vous votre vos je se
    si el los las uno una unos y o a para con este esta es son ser nosotros nuestro usted su sus que""".split()
)
