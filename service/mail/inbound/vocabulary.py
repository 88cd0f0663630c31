"""Command words of replies, in all languages at once: a reader of German mails may write English.

Words are compared in their folded form (`plain_text.folded`): `ä` may be written `ä`, `ae` or `a`.
A word with two meanings is no command:

- German "zurück" could take back a choice ("zurücknehmen") or the seat ("wieder da").
- "plan" is the preferences list in all three languages; the board is "brett" or "spielplan".
- "no 3" could be number 3 or not 3; "nr 3", "nº 3" and "number 3" are clear.
"""

from collections.abc import Iterable, Mapping

from service.mail.inbound.command_types import (
    Back,
    Command,
    DropPlan,
    MailChoice,
    Resign,
    Show,
    ShowPlan,
    Undo,
)
from service.mail.inbound.plain_text import folded, without_accents
from service.notify.preferences import BATCHED, DAILY, EVERY, OFF, URGENT


def forms(words: Iterable[str]) -> frozenset[str]:
    """The folded forms of words, with both spellings of umlauts."""
    given = list(words)
    bare = [without_accents(word.casefold()) for word in given]
    return frozenset([*(folded(word) for word in given), *bare])


def _table(entries: Mapping[Command, Iterable[str]]) -> dict[str, Command]:
    return {word: command for command, words in entries.items() for word in forms(words)}


_MAIL = ("mail", "mails", "email", "emails", "e-mail", "e-mails", "correo", "correos")
_MODES: Mapping[str, tuple[str, ...]] = {
    EVERY: (
        *("every", "every turn", "each turn", "always", "on"),
        *("jeder zug", "jeden zug", "jedem zug", "bei jedem zug", "immer", "an"),
        *("cada turno", "cada jugada", "en cada turno", "siempre"),
    ),
    BATCHED: (
        *("batched", "bundled", "together", "gebündelt", "gesammelt", "zusammen"),
        *("agrupado", "agrupados", "juntos"),
    ),
    DAILY: (
        *("daily", "once a day", "every day", "täglich", "jeden tag", "einmal am tag"),
        *("diario", "diariamente", "a diario", "cada día", "una vez al día"),
    ),
    URGENT: (
        *("urgent", "urgent only", "only urgent", "dringend", "nur dringend", "nur dringende"),
        *("urgente", "urgentes", "solo urgente", "solo urgentes", "solo lo urgente"),
    ),
    OFF: (
        *("off", "none", "never", "stop", "aus", "keine", "nie", "ab"),
        *("nunca", "ninguno", "apagado", "desactivar", "desactivado"),
    ),
}

# Command words that are named in answers.
MAIL_WORDS: Mapping[str, str] = {
    EVERY: "mail every turn",
    BATCHED: "mail batched",
    DAILY: "mail daily",
    URGENT: "mail urgent",
    OFF: "mail off",
}

COMMANDS: Mapping[str, Command] = {
    **_table(
        {
            Show("help"): ("help", "hilfe", "ayuda"),
            Show("board"): ("board", "brett", "spielbrett", "spielplan", "tablero"),
            Show("log"): (
                *("log", "history", "verlauf", "protokoll", "spielverlauf"),
                *("registro", "historial"),
            ),
            Show("rules"): ("rules", "regeln", "spielregeln", "reglas"),
            Show("games"): (
                *("games", "my games", "spiele", "meine spiele", "partien", "partidas"),
                *("mis partidas", "juegos"),
            ),
            ShowPlan(): ("plan", "my plan", "show plan", "mein plan", "mi plan"),
            DropPlan(): (
                *("plan none", "plan off", "no plan", "drop plan", "plan delete"),
                *("plan keiner", "plan keine", "plan aus", "kein plan", "plan löschen"),
                *("plan ninguno", "plan nada", "sin plan", "plan borrar", "borrar plan"),
            ),
            Undo(): (
                *("takeback", "take back", "take-back", "undo"),
                *("zurücknehmen", "rücknahme", "nimm zurück", "zug zurücknehmen"),
                *("deshacer", "retirar jugada"),
            ),
            Back(): (
                *("back", "i am back", "i'm back", "im back"),
                *("wieder da", "bin wieder da", "ich bin wieder da", "bin zurück"),
                *("volver", "he vuelto", "ya he vuelto", "vuelvo", "estoy de vuelta", "de vuelta"),
            ),
            Resign(False): (
                *("resign", "i resign", "aufgeben", "ich gebe auf", "gebe auf"),
                *("abandonar", "abandono", "rendirse", "me rindo"),
            ),
            Resign(True): tuple(
                f"{verb}{comma} {yes}"
                for verb in ("resign", "aufgeben", "abandonar", "rendirse", "i resign")
                for yes in ("yes", "ja", "sí")
                for comma in ("", ",")
            ),
        }
    ),
    **_table(
        {
            MailChoice(mode): [f"{mail} {word}" for mail in _MAIL for word in words]
            for mode, words in _MODES.items()
        }
    ),
}
TWO_MEANINGS: Mapping[str, tuple[str, str]] = dict.fromkeys(
    forms(("zurück",)), ("takeback", "back")
)
# Words that people write to get no more mails, even where they are also a move.
NO_MORE_MAILS = forms(("stop", "stopp", "unsubscribe", "abmelden", "abbestellen", "baja"))

SAY = forms(("say", "chat", "sag", "sage", "sagen", "di", "decir"))
NOTE = forms(("note", "notiz", "notiere", "nota", "apunta", "anotar"))
PLAN = forms(("plan",))
KEEP = forms(
    (
        *("keep", "behalte", "behalten", "behalt", "conserva", "conservar"),
        *("guarda", "guardar", "quedar"),
    )
)
AWAY = forms(
    (
        *("away", "absent", "abwesend", "weg", "abwesenheit", "im urlaub"),
        *("ausente", "fuera", "ausencia", "de vacaciones"),
    )
)
ELSE = forms(("else", "or else", "otherwise", "sonst", "ansonsten", "si no", "sino"))

NUMBER = forms(
    (
        *("number", "nummer", "nr", "nr.", "choice", "option", "wahl", "#"),
        *("número", "núm", "núm.", "n°", "n.°", "opción"),
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
ORDINALS: Mapping[str, int] = {
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
ARTICLES = forms(("the", "der", "die", "das", "den", "el", "la"))
# Words around the number of a choice that say nothing else (`choice_reader`). No word is among them
# that denies, doubts, compares, or speaks of somebody else or of the past.
CHOOSING = forms(
    (
        *("take", "choose", "pick", "play", "select", "want", "like", "prefer", "go"),
        *("nehme", "nehm", "nimm", "wähle", "spiele", "spiel", "möchte", "will", "mag"),
        *("tomo", "elijo", "escojo", "juego", "quiero", "prefiero", "cojo"),
    )
)
FILLERS = forms(
    (
        *(
            "i",
            "i'll",
            "i\u2019ll",
            "ill",
            "i'd",
            "i\u2019d",
            "id",
            "would",
            "shall",
            "let's",
            "lets",
        ),
        *("my", "answer", "choice", "reply", "move", "is", "it's", "its", "with", "for", "please"),
        *(
            "pls",
            "ok",
            "okay",
            "sure",
            "yes",
            "alright",
            "then",
            "so",
            "here",
            "hi",
            "hello",
            "hey",
        ),
        *("ich", "meine", "mein", "antwort", "wahl", "zug", "ist", "bitte", "gerne", "gern", "ja"),
        *("dann", "also", "gut", "hallo", "moin", "würde", "nehmen", "hier", "für", "mich"),
        *(
            "yo",
            "mi",
            "respuesta",
            "elección",
            "jugada",
            "es",
            "por",
            "favor",
            "vale",
            "sí",
            "pues",
        ),
        *("entonces", "bueno", "hola", "quedo", "me", "con", "voy", "para"),
    )
)

# Lines that ask for nothing. After a greeting or thanks the next line is read; with a closing the
# text ends, and what stands below it is a signature.
GREETINGS = forms(
    (
        *("hi", "hello", "hey", "good morning", "good afternoon", "good evening", "dear laguna"),
        *("hallo", "moin", "servus", "guten tag", "guten morgen", "guten abend", "liebe laguna"),
        *("hola", "buenas", "buenos días", "buenas tardes", "buenas noches"),
        *("hi laguna", "hello laguna", "hallo laguna", "hola laguna", "hi there", "hi all"),
    )
)
THANKS = forms(
    (
        *("thanks", "thank you", "many thanks", "thx", "thanks a lot", "thank you very much"),
        *("danke", "vielen dank", "danke schön", "dankeschön", "besten dank", "herzlichen dank"),
        *("gracias", "muchas gracias", "mil gracias"),
    )
)
CLOSINGS = forms(
    (
        *("best", "best wishes", "best regards", "kind regards", "regards", "warm regards"),
        *("cheers", "greetings", "sincerely", "yours", "yours sincerely", "all the best", "bye"),
        *("viele grüße", "liebe grüße", "beste grüße", "grüße", "gruß", "schöne grüße"),
        *("schönen gruß", "viele liebe grüße", "herzliche grüße", "freundliche grüße"),
        *("mit freundlichen grüßen", "mit besten grüßen", "mit freundlichem gruß"),
        *("lg", "mfg", "vg", "bg", "tschüss", "tschüß", "ciao", "bis bald", "bis dann"),
        *("saludos", "un saludo", "saludos cordiales", "cordiales saludos", "un cordial saludo"),
        *("un abrazo", "abrazos", "atentamente", "hasta luego", "hasta pronto", "adiós"),
    )
)

UNTIL = forms(("until", "till", "bis", "bis zum", "bis einschließlich", "hasta", "hasta el"))
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
TODAY = forms(("today", "heute", "hoy"))
TOMORROW = forms(("tomorrow", "morgen", "mañana"))
