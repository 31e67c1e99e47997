"""The words that bind us, in four languages: refunds, discounts, guarantees and the like, with what negates them."""

import re

# Every pattern is a flat alternation over one case-folded clause of at most a few hundred characters.
COMMITMENTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("refund", r"refund|reimburs|money[ -]back|erstatt|geld zurück|rembours|reembols|devol[vu]\w* (?:el|su) (?:dinero|importe)"),
        ("replace", r"replac|exchang|umtausch|umzutausch|austausch|ersatz|ersetz|remplac|échang|reemplaz|sustitu"),
        ("discount", r"discount|rebate|voucher|coupon|rabatt|nachlass|gutschein|ermäßig|ermässig|\bremise|réduction|rabais|"
                     r"descuento|rebaja|cupón|half price"),
        ("credit", r"\bcredit(?:ed)? (?:to|note|your)|store credit|gutschrift|gutschreib|gutgeschrieben|note de crédit|"
                   r"\bavoir de\b|nota de crédito|\babonar"),
        ("free", r"free of charge|for free|\bfree (?:shipping|replacement|return|upgrade|repair|month|delivery|of cost)|"
                 r"(?:no|without) (?:extra |additional )?(?:cost|charge)|complimentary|kostenlos|kostenfrei|gratis|"
                 r"unentgeltlich|gratuit|sans frais|sin (?:coste|costo|cargo|gastos)"),
        ("waive", r"\bwaive|erlassen|erlass der|exonér|condonar"),
        ("cancel", r"cancel|kündig|storn|annul|résili|\banula|rescind"),
        ("compensate", r"compensat|indemni|entschädig|schadenersatz|schadensersatz|dédommag|compensa[rc]"),
        ("warranty", r"guarant|warrant|garant|gewährleist"),
        ("deliver", r"\bship|deliver|dispatch|liefer|versand|versend|verschick|zustell|expédi|\blivr(?:ais|er|é|ons|ez)|envío|enviar|entreg"),
        ("extend", r"\bexten[ds]|verlänger|prolong|prórrog|prorrog"),
        ("liable", r"\bliab|our fault|haftung|\bhaften|verschulden|responsab|notre faute|nuestra culpa"),
        ("delete", r"\bdelet|lösch|supprim|elimin"),
        ("promised", r"promis|versproch|versprech|zugesagt|zusicher|zugesichert|promet"),
    )
)

# A clause with one of these speaks of what we or they will do, whatever the verb.
PROMISE_MARKERS = re.compile(
    r"\b(?:we|i)(?: will|'ll| shall| commit| ensure|(?: are|'re| am|'m) going to)\b|\bour \w{2,20} will\b|"
    r"\byou(?: will|'ll) (?:receive|get|be (?:contacted|notified|informed|charged|paid|called))\b|\byou(?: are|'re) entitled\b|"
    r"\b(?:wir|ich) werden?\b|\bwerden wir\b|\bwerde ich\b|\bsie (?:erhalten|bekommen)\b|\berhalten sie\b|\bsichern wir\b|"
    r"\bnous (?:vous )?(?:allons|\w{2,20}rons)\b|\bnous nous engageons\b|\bvous (?:recevrez|obtiendrez|aurez)\b|"
    r"\bje (?:vous )?\w{2,20}rai\b|\bvamos a\b|\b\w{2,20}remos\b|\brecibirá|\bobtendrá|\bnos comprometemos\b"
)
COURTESY = re.compile(
    r"happy to|glad to|pleased to|delighted to|look forward|gerne? (?:weiter|für sie|zur verfügung|helfen)|ravis? de|"
    r"à votre (?:écoute|disposition)|encantados? de|a su disposición|estaremos (?:aquí|encantados)|serons (?:ravis|heureux)"
)
ACKNOWLEDGEMENT = re.compile(
    r"\bthank|\byour (?:\w{2,20} )?(?:question|request|inquiry|enquiry|message|mail|email|interest)|\byou (?:asked|are asking|"
    r"wrote|mentioned|want|would like|requested)|vielen dank|danke|\bihre (?:\w{2,20} )?(?:frage|anfrage|nachricht|mail)|"
    r"\bsie (?:fragen|möchten|wünschen|schreiben|baten)|\bmerci|\bvotre (?:demande|question|message|mail)|"
    r"\bvous (?:souhaitez|demandez|avez demandé)|\bgracias|\bsu (?:consulta|solicitud|pregunta|mensaje|correo)|"
    r"\b(?:desea|quiere|solicita)\b"
)
REQUEST = re.compile(r"\bplease\b|\bbitte\b|s'il vous plaît|\bveuillez\b|\bpor favor\b|\bcould you\b|\bkönnen sie\b|\bpourriez\b")
# Things a customer may be asked about without anything being promised; money and guarantees are not among them.
REQUESTED = frozenset({"deliver", "cancel", "delete", "replace"})
BINDING = re.compile(
    r"\b(?:we|i|will|shall|been|issued|granted|approved|entitled|receive|wir|ich|wird|werden|wurde|erhalten|bekommen|nous|je|"
    r"sera|été|recevrez|vamos|será|sido|hemos|recibirá)\b|'ll\b"
)
RECEIPT = re.compile(
    r"\b(?:we|i) (?:have |'ve )?(?:received|understand|got)\b|\bwir haben [^,.]{0,60} erhalten\b|"
    r"\bnous avons (?:bien )?reçu\b|\bhemos recibido\b"
)
HARMLESS_NEGATIONS = re.compile(
    r"\bno\.? ?#?\d|not only|no problem|no doubt|don't hesitate|do not hesitate|kein problem|nicht nur|zögern sie nicht|n'hésitez pas|"
    r"pas de problème|no solo|no dude"
)
NEGATORS = frozenset(
    """not no never cannot unable neither nor nothing non
    nicht kein keine keinen keinem keiner nie niemals weder ausgeschlossen unmöglich
    ne pas jamais aucun aucune impossible
    nunca ningún ninguna tampoco imposible jamás""".split()
)
PRE_NEGATORS = frozenset({"without", "ohne", "sans", "sin"})
STOP_WORDS = frozenset(
    """the a an and or to of for in on at by with from this that these those it its is are be been was were will shall would
    can could you your we our us i me my as if so then also just very please will'll
    der die das den dem des ein eine einen einem einer und oder zu von für in im an am auf bei mit aus dies diese dieser
    ist sind sein wird werden wir uns unser unsere ich mich sie ihr ihre ihnen ihren als wenn so dann auch bitte
    le la les un une des du de et ou à pour en dans sur par avec ce cette est sont être nous notre vous votre vos je se si
    el los las uno una unos y o a para en por con este esta es son ser nosotros nuestro usted su sus le les se si que""".split()
)
