"""Numbers in words, and the words that make a number something else than a choice."""

from collections.abc import Mapping

from service.mail.inbound.word_forms import forms

NUMBER = forms(
    (
        *("number", "nummer", "nr", "nr.", "num", "num.", "choice", "option", "opt", "wahl", "#"),
        *("número", "núm", "núm.", "n°", "n.°", "nro", "nro.", "opción", "move", "zug", "jugada"),
    )
)
NUMBER_WORDS: Mapping[str, int] = {
    form: number
    for number, names in enumerate(
        (
            ("one", "eins", "uno"),
            ("two", "zwei", "zwo", "dos"),
            ("three", "drei", "tres"),
            ("four", "vier", "cuatro"),
            ("five", "fünf", "cinco"),
            ("six", "sechs", "seis"),
            ("seven", "sieben", "siete"),
            ("eight", "acht", "ocho"),
            ("nine", "neun", "nueve"),
            ("ten", "zehn", "diez"),
        ),
        start=1,
    )
    for form in forms(names)
}
_GERMAN_ENDINGS = ("e", "en", "er", "es")
ORDINALS: Mapping[str, int] = dict.fromkeys(("zwote", "zwoten"), 2) | {
    form: number
    for number, (english, german, spanish) in enumerate(
        (
            ("first", "erst", ("primera", "primero", "primer")),
            ("second", "zweit", ("segunda", "segundo")),
            ("third", "dritt", ("tercera", "tercero", "tercer")),
            ("fourth", "viert", ("cuarta", "cuarto")),
            ("fifth", "fünft", ("quinta", "quinto")),
            ("sixth", "sechst", ("sexta", "sexto")),
            ("seventh", "siebt", ("séptima", "séptimo")),
            ("eighth", "acht", ("octava", "octavo")),
            ("ninth", "neunt", ("novena", "noveno")),
            ("tenth", "zehnt", ("décima", "décimo")),
        ),
        start=1,
    )
    for form in forms((english, *(german + ending for ending in _GERMAN_ENDINGS), *spanish))
}
ARTICLES = forms(("the", "der", "die", "das", "den", "dem", "el", "la", "le", "il"))
# Words after an ordinal, as in "the second one".
ORDINAL_NOUNS = forms(
    (
        *("one", "choice", "option", "move", "line", "item", "possibility", "alternative"),
        *("wahl", "zug", "möglichkeit", "variante", "zeile", "alternative", "auswahl"),
        *("opción", "jugada", "línea", "posibilidad", "alternativa"),
    )
)
# A position in the list, and a judgement about it.
LAST = forms(("last", "letzte", "letzten", "letzter", "letztes", "última", "último"))
BEST = forms(("best", "top", "beste", "besten", "bester", "bestes", "mejor"))

# "2 days" and "2 points" name no choice.
UNITS = forms(
    (
        *("day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours"),
        *("minute", "minutes", "min", "sec", "seconds", "am", "pm", "a.m", "p.m", "o'clock"),
        *("point", "points", "times", "time", "x", "%", "percent", "euro", "euros", "dollars"),
        *("card", "cards", "moves", "turn", "turns", "round", "rounds", "game", "games", "people"),
        *("players", "mails", "emails", "weeks'", "days'", "gold", "km", "th"),
        *("tag", "tage", "tagen", "woche", "wochen", "monat", "monate", "monaten", "jahr", "jahre"),
        *("stunde", "stunden", "minuten", "uhr", "punkt", "punkte", "punkten", "mal", "prozent"),
        *("karte", "karten", "züge", "zügen", "runde", "runden", "spiel", "spiele"),
        *("leute", "spieler", "jahren"),
        *("día", "días", "semana", "semanas", "mes", "meses", "año", "años", "hora", "horas"),
        *("minutos", "punto", "puntos", "vez", "veces", "cartas", "carta", "turno", "turnos"),
        *("ronda", "rondas", "partida", "partidas", "jugadores", "jugadas", "correos"),
    )
)
MONTHS: Mapping[str, int] = {
    form: number
    for number, names in enumerate(
        (
            ("january", "jan", "januar", "jänner", "jän", "enero", "ene"),
            ("february", "feb", "februar", "feber", "febrero"),
            ("march", "mar", "märz", "mrz", "marzo"),
            ("april", "apr", "abril", "abr"),
            ("may", "mai", "mayo"),
            ("june", "jun", "juni", "junio"),
            ("july", "jul", "juli", "julio"),
            ("august", "aug", "agosto", "ago"),
            ("september", "sep", "sept", "septiembre", "setiembre"),
            ("october", "oct", "oktober", "okt", "octubre"),
            ("november", "nov", "noviembre"),
            ("december", "dec", "dezember", "dez", "diciembre", "dic"),
        ),
        start=1,
    )
    for form in forms(names)
}
# Monday is 0, as in `date.weekday`.
WEEKDAYS: Mapping[str, int] = {
    form: number
    for number, names in enumerate(
        (
            ("monday", "mon", "montag", "lunes"),
            ("tuesday", "tue", "tues", "dienstag", "martes"),
            ("wednesday", "wed", "mittwoch", "miércoles"),
            ("thursday", "thu", "thur", "thurs", "donnerstag", "jueves"),
            ("friday", "fri", "freitag", "viernes"),
            ("saturday", "sat", "samstag", "sonnabend", "sábado"),
            ("sunday", "sun", "sonntag", "domingo"),
        )
    )
    for form in forms(names)
}
TODAY = forms(("today", "heute", "hoy"))
TOMORROW = forms(("tomorrow", "morgen", "mañana"))
