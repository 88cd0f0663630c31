"""Words of commands about tables and accounts, in all languages at once, in their folded form."""

from collections.abc import Mapping

from engine.languages import LANGUAGES
from service.mail.inbound.vocabulary import NO_MORE_MAILS
from service.mail.inbound.word_forms import forms

PLAY = forms(
    (
        *("play", "playing", "start", "new"),
        *("spiel", "spiele", "spielen", "starte", "starten", "beginne", "neue", "neues"),
        *("jugar", "juego", "juega", "jugamos", "nueva", "empezar", "iniciar"),
    )
)
# Words around the name of a game, its bots and its guests that say nothing else.
PLAY_FILLERS = forms(
    (
        *("i", "i'd", "id", "we", "would", "like", "love", "want", "to", "please", "a", "an"),
        *("the", "of", "game", "match", "with", "against", "vs", "versus", "and", "me", "let's"),
        *("lets", "let", "us", "can", "could", "may", "my", "friend", "friends", "invite", "some"),
        *("hi", "hello", "hey", "laguna", "now", "one"),
        *("ich", "wir", "möchte", "möchten", "würde", "will", "gern", "gerne", "ein", "eine"),
        *("einen", "einem", "partie", "runde", "mit", "gegen", "und", "bitte", "mein", "meine"),
        *("meinem", "meiner", "freund", "freundin", "freunde", "freunden", "jetzt", "hallo"),
        *("yo", "quiero", "queremos", "quisiera", "gustaría", "una", "un", "partida", "al", "con"),
        *("contra", "y", "e", "por", "favor", "de", "mi", "mis", "amigo", "amiga", "amigos"),
        *("hola", "ahora"),
    )
)
BOTS = forms(
    (
        *("bot", "bots", "computer", "computers", "computern"),
        *("ordenador", "ordenadores", "máquina", "máquinas"),
    )
)
ONE = forms(("a", "an", "ein", "einen", "einem", "un", "una"))

TABLES = forms(
    (
        *("tables", "open tables", "show tables", "list tables", "table list"),
        *("tische", "offene tische", "zeig tische", "zeige tische", "welche tische gibt es"),
        *("mesas", "mesas abiertas", "ver mesas", "muestra las mesas"),
    )
)
JOIN = forms(
    (
        *("join", "join table", "join number", "i join", "i join table", "table"),
        *("beitreten", "tisch", "mitspielen", "ich spiele mit an tisch", "tritt bei"),
        *("mesa", "unirme", "unirme a", "unirme a la", "unirme a la mesa", "únete a"),
    )
)
JOIN_AFTER = forms(("beitreten", "mitspielen", "join"))
STOP = NO_MORE_MAILS | forms(
    (
        *("no more mails", "no more mail", "no more emails", "stop mails", "stop emails"),
        *("leave me alone", "remove me", "please stop", "stop please"),
        *("keine mails mehr", "keine e-mails mehr", "bitte keine mails mehr", "mails stoppen"),
        *("bitte stoppen", "stop bitte", "stopp bitte"),
        *("no más correos", "no más mails", "no quiero más correos", "darme de baja"),
        *("darse de baja", "para", "basta"),
    )
)
DELETE = forms(
    (
        *("delete my account", "delete account", "remove my account", "close my account"),
        *("leave for good", "delete me"),
        *("konto löschen", "mein konto löschen", "lösche mein konto", "account löschen"),
        *("meinen account löschen", "lösche meinen account", "bitte konto löschen"),
        *("eliminar mi cuenta", "borrar mi cuenta", "elimina mi cuenta", "borra mi cuenta"),
        *("eliminar cuenta", "borrar cuenta", "cerrar mi cuenta"),
    )
)
POLITE = forms(("please", "bitte", "por favor", "thanks", "danke", "gracias"))

LANGUAGE_NAMES: Mapping[str, str] = {
    name: code
    for code, names in {
        "en": ("english", "englisch", "inglés"),
        "de": ("german", "deutsch", "alemán"),
        "es": ("spanish", "spanisch", "español", "castellano"),
    }.items()
    if code in LANGUAGES
    for name in forms(names)
}
LANGUAGE_WORDS = forms(
    ("language", "sprache", "idioma", "lengua", "in", "auf", "en", "my", "meine", "mi", "is", "ist")
)

YES = forms(
    (
        *("yes", "yeah", "yep", "yup", "sure", "ok", "okay", "okey", "gladly", "absolutely"),
        *("definitely", "join", "accept", "accepted", "agreed", "confirm", "confirmed", "in"),
        *("ja", "jo", "jawohl", "jep", "klar", "gern", "gerne", "natürlich", "dabei"),
        *("einverstanden", "bestätigt", "sicher", "unbedingt"),
        *("sí", "claro", "vale", "encantado", "encantada", "acepto", "acuerdo", "gusto"),
        *("apunto", "dale", "confirmo", "supuesto", "perfecto"),
    )
)
NO = forms(
    (
        *("no", "nope", "not", "never", "don't", "dont", "decline", "declined", "can't", "cannot"),
        *("sorry", "unfortunately", "pass"),
        *("nein", "nee", "nö", "nicht", "kein", "keine", "leider", "ablehnen", "abgelehnt"),
        *("nunca", "tampoco", "rechazo", "rechazar"),
    )
)
CONSENT_FILLERS = forms(
    (
        *("i", "i'm", "im", "am", "i'd", "id", "would", "love", "like", "to", "please", "thanks"),
        *("thank", "you", "count", "me", "of", "course", "with", "pleasure", "very", "much", "the"),
        *("do", "it", "that", "this", "is", "fine", "great", "go", "ahead", "let's", "lets"),
        *("play", "now", "time", "want", "for", "hi", "hello", "laguna", "a", "my", "account"),
        *("invitation", "seat", "and", "so", "too", "sounds", "good"),
        *("ich", "bin", "bitte", "danke", "vielen", "dank", "sehr", "mich", "freue", "freu"),
        *("darauf", "mache", "mach", "mit", "das", "spiele", "spielen", "doch", "hallo", "zeit"),
        *("habe", "möchte", "will", "aber", "lieber", "dafür", "einladung", "und", "auf"),
        *("yo", "me", "con", "mucho", "por", "favor", "gracias", "muchas", "hola", "quiero"),
        *("jugar", "de", "que", "invitación", "la", "el", "y", "tengo", "tiempo", "puedo"),
    )
)

# Words by which the language of a writer is guessed.
_TYPICAL: Mapping[str, tuple[str, ...]] = {
    "de": (
        *("spiele", "spielen", "spiel", "gegen", "mit", "und", "ich", "bitte", "danke", "ja"),
        *("nein", "gern", "gerne", "möchte", "würde", "eine", "hallo", "tische", "hilfe"),
        *("partien", "beitreten", "klar", "dabei", "wohne", "heiße", "grüße"),
    ),
    "es": (
        *("jugar", "juego", "quiero", "contra", "con", "una", "sí", "por", "favor", "hola"),
        *("gracias", "mesas", "ayuda", "partidas", "claro", "encantado", "encantada", "acepto"),
        *("vivo", "llamo", "saludos", "unirme", "partida", "quisiera"),
    ),
}
TYPICAL = {language: forms(words) for language, words in _TYPICAL.items() if language in LANGUAGES}
