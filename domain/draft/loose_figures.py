"""Figures and assurances without a numeral: half the price, a dozen, for life, you have my word. They bind as much as
digits do, so each is a statement that a source must make as well.

As in the table of commitments: flat alternations over one lower-case clause, by English, German, French and Spanish.
"""

import re


def _any_of(*rows: str) -> re.Pattern[str]:
    return re.compile("|".join(rows))


LOOSE_FIGURES: dict[str, re.Pattern[str]] = {
    "half": _any_of(
        r"\bhalf (?:the|of|your|a|price|off|back)\b|\b(?:and|by|one) (?:a )?half\b|\bhalve[sd]?\b",
        r"\bhalbe[nrsm]? (?:preis|betrag|summe|kosten|gebühr|jahr|monat)|\bdie hälfte\b",
        r"\b(?:andert|zweiein|dreiein)halb",
        r"\bmoitié\b|\bet demie?\b",
        r"\bla mitad\b|\bmitad de\b|\by medi[oa]\b",
    ),
    "third": _any_of(r"\b(?:one|two|a)[ -]thirds?\b", r"\bdrittel\b", r"\bun tiers\b|\bdeux tiers\b", r"\btercios?\b"),
    "quarter": _any_of(
        r"\b(?:one|three|a)[ -]quarters? of\b", r"\bviertel de[rs]\b", r"\bquarts? d[eu]\b", r"\bcuartas? partes?\b"
    ),
    "double": _any_of(
        r"\bdoubl(?:e|ed|es)\b|\btwice\b|\bthrice\b|\btripl(?:e|ed)\b",
        r"\bdas doppelte\b|\bdoppelte[nrs]? (?:preis|betrag|summe)|\bverdoppel|\bverdreifach|\bdas dreifache\b",
        r"\ble double\b|\bdeux fois\b|\bdoubl(?:ons|é|er)\b|\btripl(?:e|é)\b",
        r"\bel doble\b|\bdos veces\b|\bduplic|\btriplic",
    ),
    "dozen": _any_of(
        r"\bdozens?\b", r"\bdutzend", r"\bdouzaines?\b|\b(?:ving|trent|cinquant|cent)aines?\b", r"\bdocenas?\b"
    ),
    "fortnight": _any_of(r"\bfortnight", r"\bvierzehntägig", r"\bquinzaine\b", r"\bquincena\b"),
    "a few days": _any_of(
        r"\b(?:couple of|few|some|several) (?:\w{2,12} )?(?:minutes|hours|days|weeks|months)\b",
        r"\bwithin the (?:hour|day|week)\b",
        r"\b(?:paar|wenige[nr]?|einige[nr]?|mehrere[nr]?) (?:minuten|stunden|tagen?|wochen|monaten?|werktagen?)\b",
        r"\bquelques (?:minutes|heures|jours|semaines|mois)\b|\bdans l'heure\b",
        r"\b(?:algun[oa]s|poc[oa]s|un par de) (?:minutos|horas|días|semanas|meses)\b",
    ),
    "end of a span": _any_of(
        r"\b(?:by|before|until) the end of\b",
        r"\b(?:bis|vor) (?:zum )?ende (?:de[rs] )?(?:woche|tages|monats|jahres)\b",
        r"\bavant la fin\b|\bd'ici (?:à )?la fin\b",
        r"\bantes de(?:l| la)? fin(?:al)? de\b|\ba finales de\b",
    ),
    "holiday": _any_of(r"\bchristmas\b|\beaster\b", r"\bweihnacht|\bostern\b", r"\bnoël\b|\bpâques\b", r"\bnavidad\b"),
    "for ever": _any_of(
        r"\blife(?:long|time)\b|\bfor life\b|\bforever\b|\bat any time\b|\bunlimited\b",
        r"\blebenslang|\bjederzeit\b|\bunbegrenzt|\bunbefristet",
        r"\bà vie\b|\bà tout moment\b|\billimité",
        r"\bde por vida\b|\bvitalici|\ben cualquier momento\b|\bilimitad",
    ),
    "assure": _any_of(
        r"\b(?:we|i)(?: can)?(?: fully)? (?:guarantee|assure|warrant)\b|\brest assured\b|\b(?:my|our) word\b",
        r"\b(?:wir|ich) garantiere|\bgarantieren wir\b|\bgarantiere ich\b",
        r"\bversichere[n]? (?:ihnen|wir|ich)\b|\bmein wort\b",
        r"\bgarantiss|\b(?:vous|nous|je) assur|\bassure que\b|\bassurons\b|\bma parole\b",
        r"\bgarantiz|\b(?:le|les|te) asegur|\bmi palabra\b",
    ),
    "keep": _any_of(
        r"\b(?:may|can|get to|to) keep\b|\bis yours\b",
        r"\bbehalten\b|\bgehör(?:t|en) ihnen\b",
        r"\b(?:pouvez|peux) (?:la |le |les )?garder\b|\best à vous\b",
        r"\bquedarse con\b|\bes suy[oa]\b|\bson suy[oa]s\b",
    ),
    "paid out": _any_of(
        r"\b(?:been|was|is|were) (?:credited|paid out|transferred|issued|wired)\b",
        r"\b(?:money|payment|amount) is on its way\b",
        r"\bgutgeschrieben\b|\büberwiesen\b|\bangewiesen\b|\b(?:geld|betrag|zahlung) ist unterwegs\b",
        r"\b(?:été|est) (?:crédité|versé|viré)|\b(?:argent|paiement) est en route\b",
        r"\bsido (?:abonad|transferid|ingresad)|\b(?:dinero|pago) está en camino\b",
    ),
}
