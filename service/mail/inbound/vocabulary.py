"""Command words of replies, in all languages at once: a reader of German mails may write English.

Words are compared in their folded form (`word_forms`). Sentences are in `sentence_commands`. A word
with two meanings is no command:

- German "zurück" could take back a choice ("zurücknehmen") or the seat ("wieder da").
- "plan" is the preferences list in all three languages; the board is "brett" or "spielplan".
- "no 3" could be number 3 or not 3; "nr 3", "nº 3" and "number 3" are clear.
- German "Di" is Tuesday, Spanish "di" is "say": it needs a colon, or the Spanish sign after it.
"""

from collections.abc import Iterable, Mapping

from service.mail.inbound.command_types import (
    Back,
    Command,
    DropPlan,
    MailChoice,
    No,
    Receipts,
    Resign,
    Show,
    ShowPlan,
    Undo,
    Yes,
)
from service.mail.inbound.word_forms import forms
from service.notify.preferences import BATCHED, DAILY, EVERY, OFF, URGENT


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
                *("takeback", "take back", "take-back", "undo", "take it back", "undo it"),
                *("zurücknehmen", "rücknahme", "nimm zurück", "zug zurücknehmen"),
                *("rückgängig", "rückgängig machen", "nimm das zurück", "nimm es zurück"),
                *("deshacer", "deshaz", "retirar jugada", "deshacer jugada", "anular jugada"),
            ),
            Back(): (
                *("back", "i am back", "i'm back", "im back"),
                *("wieder da", "bin wieder da", "ich bin wieder da", "bin zurück"),
                *("volver", "he vuelto", "ya he vuelto", "vuelvo", "estoy de vuelta", "de vuelta"),
            ),
            Yes(): (
                *("yes", "yep", "yeah", "yup", "yes please", "yes do", "ok", "okay", "sure"),
                *("of course", "exactly", "correct", "right", "that's right", "please do"),
                *("yes i did", "yes i do", "i did", "confirmed", "confirm", "agreed", "do it"),
                *("ja", "jo", "jep", "jawohl", "ja bitte", "ja gerne", "ja gern", "genau"),
                *("richtig", "stimmt", "klar", "na klar", "passt", "gerne", "gern", "ja genau"),
                *("sí", "si", "sí por favor", "vale", "claro", "claro que sí", "eso es", "exacto"),
                *("de acuerdo", "correcto", "así es", "por supuesto", "sí claro", "bueno"),
            ),
            No(): (
                *("no", "nope", "nah", "no thanks", "no thank you", "rather not", "please don't"),
                *("better not", "not that", "i did not", "i didn't", "no i didn't", "don't"),
                *("nein", "nee", "nö", "ne", "nein danke", "lieber nicht", "besser nicht"),
                *("bitte nicht", "auf keinen fall", "nein lieber nicht", "stimmt nicht"),
                *("no gracias", "mejor no", "que no", "para nada", "no no"),
            ),
            Receipts(True): (
                *("receipts", "receipts on", "bestätigungen", "bestätigungen an"),
                *("bestätigungen ein", "confirmaciones", "confirmaciones sí", "con confirmaciones"),
            ),
            Receipts(False): (
                *("receipts off", "no receipts", "bestätigungen aus", "keine bestätigungen"),
                *("confirmaciones no", "sin confirmaciones"),
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
NO_MORE_MAILS = forms(
    (
        *("stop", "stopp", "unsubscribe", "remove", "remove me", "opt out", "opt-out"),
        *("abmelden", "abbestellen", "austragen", "abmeldung", "stop mails", "stop emails"),
        *("baja", "darse de baja", "darme de baja", "cancelar suscripción", "desuscribir"),
    )
)

# Chat. Words that need no colon after them, and those that need one.
SAY_PLAINLY = forms(("say", "chat", "sag"))
SAY = SAY_PLAINLY | forms(("sage", "sagen", "di", "decir"))
SAY_TO_ALL = forms(
    (
        *("to all", "to everyone", "to everybody", "to the table", "tell everyone", "tell all"),
        *("tell everybody", "say to all", "say to everyone", "tell the others", "to the others"),
        *("an alle", "sag allen", "sag an alle", "an die runde", "an die anderen", "sage allen"),
        *("a todos", "para todos", "di a todos", "decir a todos", "a la mesa", "dile a todos"),
    )
)
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
ELSE = forms(("else", "or else", "otherwise", "sonst", "ansonsten", "si no", "sino", "o si no"))
# "3, if not possible 1"
IF_NOT = forms(
    (
        *("if not", "if not possible", "if that's not possible", "if that is not possible"),
        *("if it's not possible", "if it is not possible", "if impossible", "if not available"),
        *("if that does not work", "if that doesn't work", "if taken", "if that's taken"),
        *("if that is taken", "if it's taken", "if it's gone", "failing that", "as a fallback"),
        *("if that isn't possible", "if it isn't possible", "if that's gone", "if gone"),
        *(
            f"if {it} {is_not} {possible}{more}"
            for it in (
                "that is",
                "it is",
                "that's",
                "it's",
                "that one is",
                "this is",
                "this one is",
            )
            for is_not in ("not", "no longer")
            for possible in ("possible", "available", "free")
            for more in ("", " any more", " anymore", " any longer")
        ),
        *("falls nicht", "falls nicht möglich", "falls nicht mehr möglich", "wenn nicht"),
        *("falls das nicht geht", "falls das nicht möglich ist", "wenn nicht möglich"),
        *("falls es nicht geht", "wenn das nicht geht", "wenn das nicht möglich ist"),
        *("falls das nicht mehr geht", "wenn das nicht mehr geht", "wenn nicht mehr möglich"),
        *("falls unmöglich", "ersatzweise", "notfalls", "oder sonst", "andernfalls"),
        *("falls schon weg", "falls weg", "falls besetzt"),
        *("si no es posible", "si no se puede", "si no fuera posible", "en su defecto"),
        *("si eso no es posible", "si no puede ser", "de lo contrario", "y si no", "si no está"),
        *("si ya no se puede", "si ya no es posible", "si ya no está", "si ya no está libre"),
    )
)

UNTIL = forms(("until", "till", "bis", "bis zum", "bis einschließlich", "hasta", "hasta el"))
