"""Months, weekdays and relative days in four languages: the data behind the date extractor."""

from collections.abc import Iterable


def _numbered(rows: Iterable[str], first: int) -> dict[str, int]:
    return {word: number for number, row in enumerate(rows, first) for word in row.split()}


MONTHS = _numbered(
    (
        "january januar jänner janvier enero jan janv ene",
        "february februar février febrero feb févr",
        "march märz mars marzo mar mär",
        "april avril abril apr avr abr",
        "may mai mayo",
        "june juni juin junio jun",
        "july juli juillet julio jul juil",
        "august août agosto aug ago",
        "september septembre septiembre sep sept set",
        "october oktober octobre octubre oct okt",
        "november novembre noviembre nov",
        "december dezember décembre diciembre dec dez déc dic",
    ),
    1,
)
# Full names that are other words too, unless a word such as `in` leads to them; `sept` is seven in French.
AMBIGUOUS_MONTHS = frozenset({"march", "may", "mars", "august", "mai"})
NEVER_LONE_MONTHS = frozenset({"sept", "janv", "févr", "juil"})
MONTH_LEADS = frozenset(
    "in of by until till since early late mid im bis ab seit anfang ende mitte en fin début depuis".split()
)
MIN_LONE_MONTH_CHARS = 4

WEEKDAYS = _numbered(
    (
        "monday mondays montag montags lundi lunes",
        "tuesday tuesdays dienstag dienstags mardi martes",
        "wednesday wednesdays mittwoch mittwochs mercredi miércoles",
        "thursday thursdays donnerstag donnerstags jeudi jueves",
        "friday fridays freitag freitags vendredi viernes",
        "saturday saturdays samstag samstags sonnabend samedi sábado sábados",
        "sunday sundays sonntag sonntags dimanche domingo domingos",
    ),
    0,
)
WEEKDAY_ABBREVIATIONS = _numbered(
    (
        "mon mo lun",
        "tue tues di mar",
        "wed mi mer mié",
        "thu thur do jeu jue",
        "fri fr ven vie",
        "sat sa sam sáb",
        "sun so dim dom",
    ),
    0,
)

_RELATIVE = {
    "yesterday": "yesterday|gestern|ayer",
    "today": "today|heute|aujourd hui|hoy|tonight|heute abend",
    "tomorrow": "tomorrow|morgen|demain|mañana",
    "day_after": "day after tomorrow|übermorgen|après demain|après-demain|pasado mañana",
    "this_week": "this week|diese woche|dieser woche|cette semaine|esta semana",
    "next_week": "next week|nächste woche|nächster woche|kommende woche|semaine prochaine|próxima semana|"
    "semana que viene",
    "next_month": "next month|nächsten monat|kommenden monat|mois prochain|próximo mes|mes que viene",
    "immediately": "immediately|sofort|umgehend|immédiatement|inmediatamente",
}
# Word sequences of at most three words; longer ones first, so that `day after tomorrow` is not read as `tomorrow`.
RELATIVE_DAYS: tuple[tuple[tuple[str, ...], str], ...] = tuple(
    sorted(
        ((tuple(phrase.split()), name) for name, phrases in _RELATIVE.items() for phrase in phrases.split("|")),
        key=lambda row: -len(row[0]),
    )
)
# `por la mañana` and `am Morgen` are times of day, not the day after.
MORNING_LEADS = frozenset({"la", "esta", "guten", "am", "jeden", "de", "cada", "heute"})
