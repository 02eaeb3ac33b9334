"""Read which time a question asks about: "last week", "in March", "vor zwei Tagen", 上周.

Owns the words for times in five languages. A time that is read ranks the messages of that time
higher (`rank`); it hides nothing, because people misremember when something was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Days of each unit, about."""
SLACK = {"day": 1, "week": 3, "month": 15, "year": 180}
"""Days that "two weeks ago" may be off."""

_UNITS = {
    "day": "days? tage?n? jours? días? dias? 天 日",
    "week": "weeks? wochen? semaines? semanas? 周 星期 礼拜",
    "month": "months? monat(?:en?|s)? mois mes(?:es)? 个?月",
    "year": "years? jahre?n?s? ann?(?:ée|ee|s)?s? años? 年",
}
_NUMBERS = {
    1: "a an one ein(?:e[mnr]?)? une? un[ao]? 一",
    2: "two zwei deux dos couple 两 二",
    3: "three drei trois tres few paar einige[nr]? quelques 三 几",
    4: "four vier quatre cuatro 四",
    5: "five fünf cinq cinco 五",
    6: "six sechs seis 六",
    7: "seven sieben sept siete 七",
    8: "eight acht huit ocho 八",
    9: "nine neun neuf nueve 九",
    10: "ten zehn dix diez 十",
}
_WEEKDAYS = (
    "monday montag lundi lunes",
    "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes",
    "saturday samstag sonnabend samedi sábado",
    "sunday sonntag dimanche domingo",
)
_MONTHS = (
    "january januar janvier enero",
    "february februar février febrero",
    "march märz mars marzo",
    "april avril abril",
    "may mai mayo",
    "june juni juin junio",
    "july juli juillet julio",
    "august août agosto",
    "september septembre septiembre",
    "october oktober octobre octubre",
    "november novembre noviembre",
    "december dezember décembre diciembre",
)
_CHINESE_WEEKDAYS = "一二三四五六日天"


def _names(words: str) -> str:
    return "|".join(words.split())


_NUMBER = r"(?P<number>\d{1,3}|" + "|".join(map(_names, _NUMBERS.values())) + ")"
_UNIT = "(?P<unit>" + "|".join(map(_names, _UNITS.values())) + ")"
_WEEKDAY = "(?P<weekday>" + "|".join(map(_names, _WEEKDAYS)) + ")"
_MONTH = "(?P<month>" + "|".join(map(_names, _MONTHS)) + ")"
_YEAR = r"(?:,? (?:de |of )?(?P<year>(?:19|20)\d\d))?"
_LAST = r"(?:last|past|previous|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)"
_DERNIER = r"(?:derni(?:er|ère)s?|passée?s?|pasad[oa]s?)"
_FRENCH = re.compile(r"\b(?:je|tu|nous|vous|les?|la|des|ai|avons|avez)\b|\bqu['’]", re.IGNORECASE)


@dataclass(frozen=True)
class AskedTime:
    """A time that a question names."""

    since: float
    until: float
    """Seconds since 1970; `until` is not part of it."""
    words: str
    """How the question names it."""


def asked_times(query: str, now: float) -> list[AskedTime]:
    """Return the times that a question asks about, as seen from `now` in this machine's zone."""
    found: list[AskedTime] = []
    try:
        today = datetime.fromtimestamp(now).date()
    except (ValueError, OverflowError, OSError):
        return found
    rest = query
    for pattern, read in _readers():
        for match in pattern.finditer(rest):
            # Also where there is no such day: the 30th of February is not all of February.
            rest = rest.replace(match[0], " " * len(match[0]))
            try:
                first, last = read(match, today)
                found.append(AskedTime(_midnight(first), _midnight(last, 1), match[0]))
            except (ValueError, OverflowError, OSError):
                # No such day, or one that this machine cannot count.
                continue
    return found


def _midnight(day: date, later: int = 0) -> float:
    return datetime.combine(day + timedelta(later), datetime.min.time()).timestamp()


Days = tuple[date, date]
Reader = Callable[[re.Match[str], date], Days]


def _ago(match: re.Match[str], today: date) -> Days:
    unit = _unit(match["unit"])
    middle = today - timedelta(_number(match["number"]) * DAYS[unit])
    return middle - timedelta(SLACK[unit]), min(today, middle + timedelta(SLACK[unit]))


def _lately(match: re.Match[str], today: date) -> Days:
    """Read "the last three weeks", or "the past week"."""
    count = _number(match.groupdict().get("number") or "1")
    return today - timedelta(count * DAYS[_unit(match["unit"])]), today


def _previous(match: re.Match[str], today: date) -> Days:
    """Read "last week": the calendar's, and those seven days that people mean too."""
    match _unit(match["unit"]):
        case "day":
            return today - timedelta(1), today
        case "week":
            monday = today - timedelta(today.weekday() + 7)
            return monday, max(monday + timedelta(6), today - timedelta(1))
        case "month":
            last = today.replace(day=1) - timedelta(1)
            return last.replace(day=1), last
    return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)


def _weekday(match: re.Match[str], today: date) -> Days:
    number = _place(_WEEKDAYS, match["weekday"])
    return _last_weekday(number, today)


def _chinese_weekday(match: re.Match[str], today: date) -> Days:
    return _last_weekday(min(6, _CHINESE_WEEKDAYS.index(match["weekday"])), today)


def _last_weekday(number: int, today: date) -> Days:
    day = today - timedelta((today.weekday() - number - 1) % 7 + 1)
    return day, day


def _month(match: re.Match[str], today: date) -> Days:
    month = _month_number(match)
    year = _year(match, month, 1, today)
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following - timedelta(1)


def _day(match: re.Match[str], today: date) -> Days:
    month = _month_number(match)
    day = int(match["day"])
    named = date(_year(match, month, day, today), month, day)
    return named, named


def _french_yesterday(match: re.Match[str], today: date) -> Days:
    """Read "hier", which is "here" in German."""
    if not _FRENCH.search(match.string):
        raise ValueError("not French")
    return today - timedelta(1), today - timedelta(1)


def _days_back(back: int) -> Reader:
    def read(_: re.Match[str], today: date) -> Days:
        day = today - timedelta(back)
        return day, day

    return read


def _weekend(_: re.Match[str], today: date) -> Days:
    sunday = today - timedelta(today.weekday() + 1)
    return sunday - timedelta(2), sunday


def _month_number(match: re.Match[str]) -> int:
    if match["month"].isdigit():
        return int(match["month"])
    return _place(_MONTHS, match["month"]) + 1


def _year(match: re.Match[str], month: int, day: int, today: date) -> int:
    """Return the year that is named, or the latest that makes it no time to come."""
    if match["year"]:
        return int(match["year"])
    return today.year - ((month, day) > (today.month, today.day))


def _place(names: tuple[str, ...], name: str) -> int:
    return next(at for at, words in enumerate(names) if _is_one_of(name, words))


def _unit(word: str) -> str:
    return next(unit for unit, words in _UNITS.items() if _is_one_of(word, words))


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(number for number, words in _NUMBERS.items() if _is_one_of(word, words))


def _is_one_of(word: str, words: str) -> bool:
    return re.fullmatch(_names(words), word, re.IGNORECASE) is not None


@cache
def _readers() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """Return what to look for, the most exact first, and what it means."""
    number, unit = _NUMBER, _UNIT
    patterns: tuple[tuple[str, Reader], ...] = (
        (r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b", _day),
        (r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)\b", _day),
        (r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]", _day),
        (rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR}", _day),
        (rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er)?(?: of| de)? {_MONTH}\b{_YEAR}", _day),
        (rf"\b{number}(?: of)? {unit} (?:ago|earlier|back)\b", _ago),
        (rf"\b(?:vor|il y a|hace) (?:ein |unos |unas )?{number} {unit}\b", _ago),
        (rf"{number} ?{unit}(?:以前|之前|前)", _ago),
        (rf"\b{_LAST} {number}(?: of)? {unit}\b", _lately),
        (rf"\bles {number} derni[eè]re?s {unit}\b", _lately),
        (rf"\b(?:les derni[eè]re?s|l[oa]s últim[oa]s) {number} {unit}\b", _lately),
        (rf"\bpast {unit}\b", _lately),
        (rf"\b{_LAST} {unit}\b", _previous),
        (rf"\b(?:la|le|el|l') ?{unit} {_DERNIER}\b", _previous),
        (rf"上{unit}(?![一二三四五六日天])", _previous),
        ("去(?P<unit>年)", _previous),
        (r"\b(?:last|past|this) weekend\b|\b(?:letztes|am) wochenende\b", _weekend),
        (r"\bday before yesterday\b|\b(?:vorgestern|avant-hier|anteayer)\b|前天", _days_back(2)),
        (r"\b(?:yesterday|last night|gestern|ayer)\b|昨天", _days_back(1)),
        (r"\bhier\b", _french_yesterday),
        (r"\b(?:today|this morning|heute|aujourd['’]hui|hoy)\b|今天", _days_back(0)),
        (rf"\b(?:last|on|letzten|am|vergangenen|el) {_WEEKDAY}\b", _weekday),
        (rf"\b{_WEEKDAY} {_DERNIER}\b", _weekday),
        (r"上?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", _chinese_weekday),
        (rf"\b(?:in|during|last|early|late|im|letzten|en) {_MONTH}\b{_YEAR}", _month),
        (r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>\d{1,2})月(?:份|里)?", _month),
    )
    return tuple((re.compile(text, re.IGNORECASE), read) for text, read in patterns)
