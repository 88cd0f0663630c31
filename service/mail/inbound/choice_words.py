"""Words around the number of a choice (`choice_reader`).

`CHOOSING` and `FILLERS` say nothing but that it is chosen. No word is among them that denies,
doubts, compares, or speaks of other people or of the past. The other tables say why a text with a
number is not even a suggestion.
"""

from service.mail.inbound.word_forms import forms, sentence_pattern

CHOOSING = forms(
    (
        *("take", "choose", "pick", "play", "select", "want", "like", "prefer", "go", "going"),
        *("taking", "choosing", "picking", "playing", "selecting"),
        *("nehme", "nehm", "nimm", "wähle", "spiele", "spiel", "möchte", "will", "mag", "wähl"),
        *("entscheide", "bevorzuge", "gehe", "geh", "mache", "mach", "nehmen", "wählen", "spielen"),
        *("tomo", "elijo", "escojo", "juego", "quiero", "prefiero", "cojo", "selecciono", "opto"),
        *("diría", "sagen", "fancy"),
        *("quisiera", "toma", "elige", "ponme", "dame", "apuesto", "tomar", "elegir", "escoger"),
        *("jugar", "elegiré", "tomaré", "jugaré", "machen"),
        # French, Italian, Dutch and Portuguese, of which no mails of ours are.
        *("deseo", "setze", "tippe", "stimme", "vote"),
        *("do", "gonna", "imma", "wanna", "jugaría", "elegiría", "tomaría", "segeln", "apunto"),
        *("prends", "choisis", "joue", "voudrais", "veux", "prendo", "scelgo", "gioco", "vorrei"),
        *("voglio", "neem", "kies", "speel", "wil", "quero", "escolho", "jogo", "pego"),
    )
)
FILLERS = forms(
    (
        *("i", "i'll", "ill", "i'd", "id", "i've", "would", "will", "shall", "let's", "lets"),
        *("let", "us", "we", "we'll", "my", "mine", "answer", "choice", "reply", "response"),
        *("pick", "selection", "decision", "vote", "move", "is", "it's", "its", "it", "that"),
        *("that's", "be", "with", "for", "to", "me", "please", "pls", "plz", "ok", "okay", "sure"),
        *("yes", "yep", "yeah", "alright", "right", "then", "so", "here", "here's", "hi", "hello"),
        *("hey", "well", "now", "just", "simply", "definitely", "gladly", "certainly", "of"),
        *("absolutely", "final", "give", "make", "and", "have", "say", "down", "put", "course"),
        *("good", "fine", "great", "perfect", "cool"),
        *("ich", "meine", "mein", "antwort", "wahl", "zug", "ist", "bitte", "gerne", "gern", "ja"),
        *("jo", "jep", "jawohl", "dann", "also", "gut", "hallo", "moin", "würde", "hätte", "hier"),
        *("für", "mich", "mir", "wir", "werde", "einfach", "jetzt", "nun", "diesmal"),
        *("definitiv", "perfekt"),
        *("klar", "natürlich", "genau", "unbedingt", "auf", "jeden", "fall", "mit", "und", "es"),
        *("entscheidung", "auswahl", "soll", "solls", "soll's", "sein", "habe", "entschieden"),
        *("prima", "super", "lass", "uns", "variante", "möglichkeit", "wäre", "sehr"),
        *("yo", "mi", "respuesta", "elección", "jugada", "es", "por", "favor", "vale", "pues"),
        *("entonces", "bueno", "hola", "quedo", "me", "con", "voy", "para", "a", "claro", "va"),
        *("gustaría", "vamos", "venga", "seguro", "definitivamente", "perfecto", "genial", "mí"),
        *("esta", "este", "ahora", "de", "acuerdo", "bien", "supuesto", "pon", "y", "porfa"),
        *("decisión", "será", "sería", "aquí", "está", "que", "sea", "xfa", "xfavor", "porfis"),
        *("ganz", "hiermit", "hereby", "on", "onto", "nach", "del", "hacia", "porfi", "plan"),
        *("today", "heute", "hoy", "am", "liebsten", "preferiblemente", "preferably"),
        *("poprosze", "proszę"),
        *("je", "moi", "pour", "le", "il", "lo", "per", "ik", "voor", "mij", "graag", "eu", "um"),
        *("uma", "s'il", "vous", "plait", "plaît", "prego", "alstublieft", "alsjeblieft"),
    )
)
# These need a verb of choosing beside them: "I am 2" and "mal 2" say something else.
# Words of a request, which also mark a choice.
PLEASE = forms(
    ("please", "pls", "plz", "bitte", "favor", "porfa", "porfi", "porfis", "xfa", "poprosze")
)
NEED_CHOOSING = forms(
    ("am", "i'm", "im", "bin", "mal", "this", "time", "think", "glaube", "denke", "creo", "guess")
)
# A text with one of these is not played, and no choice of it is suggested.
DENIALS = forms(
    (
        *("not", "no", "don't", "dont", "never", "neither", "nor", "none", "won't", "wont"),
        *("wouldn't", "can't", "cannot", "isn't", "didn't", "doesn't", "except", "without"),
        *("anything", "everything", "all", "avoid", "hate", "dislike", "nope", "nah", "+"),
        *("\u274c", "\U0001f44e"),
        *("nicht", "kein", "keine", "keinen", "keiner", "nein", "nie", "niemals", "ohne", "außer"),
        *("weder", "noch", "ned", "net", "nee", "nö", "bloß", "statt", "anstatt"),
        *("nunca", "jamás", "ninguna", "ninguno", "ningún", "menos", "sin", "excepto", "salvo"),
        *("tampoco", "ni", "nada", "todo", "pas", "ne", "rien", "jamais", "non", "mai", "niente"),
        *("niet", "geen", "nooit", "não", "nem", "forget", "ignore", "cancel", "wrong", "vergiss"),
        *("vergesst", "falsch", "olvida", "olvídalo", "olviden", "mistake", "versehentlich"),
        *("kidding", "joke", "joking", "scherz", "broma", "undo", "revoke", "withdraw"),
    )
)
DOUBTS = forms(
    (
        *("or", "if", "unless", "maybe", "perhaps", "possibly", "probably", "when", "whether"),
        *("depends", "until", "after", "before", "once", "while", "instead", "versus", "vs"),
        *("oder", "wenn", "falls", "sofern", "vielleicht", "eventuell", "evtl", "wohl", "ob"),
        *("sobald", "solange", "bevor", "nachdem", "vermutlich"),
        *("wahrscheinlich", "beziehungsweise"),
        *("o", "si", "quizás", "quizá", "acaso", "cuando", "aunque", "talvez", "mientras", "antes"),
        *("después", "puede", "posiblemente", "probablemente", "ou", "oppure", "misschien"),
    )
)
# Beside unknown words these make a choice doubtful: other people, the past, and what only may be.
OTHERS_AND_PAST = forms(
    (
        *("he", "she", "they", "you", "your", "his", "her", "their", "who", "husband", "wife"),
        *("son", "daughter", "mother", "father", "brother", "sister", "friend", "boss", "says"),
        *("yesterday", "gestern", "ayer", "anoche"),
        *("took", "chose", "picked", "played", "was", "were", "had", "got", "already", "last"),
        *("could", "might", "thought", "wanted", "said", "than", "versus", "bad"),
        *("worse",),
        *("er", "sie", "ihr", "du", "dein", "deine", "sein", "seine", "mann", "frau", "sohn"),
        *("tochter", "mutter", "vater", "bruder", "schwester", "freund", "freundin", "sagt"),
        *("nahm", "nahmst", "genommen", "gewählt", "gespielt", "war", "hatte", "hat", "schon"),
        *("sollte", "könnte", "dachte", "wollte", "als", "letztes", "schlecht", "schlechter"),
        *("él", "ella", "ellos", "tú", "tu", "su", "usted", "marido", "mujer", "hijo", "hija"),
        *("madre", "padre", "hermano", "hermana", "amigo", "amiga", "dice", "tomé", "elegí"),
        *("jugué", "fue", "era", "tenía", "había", "ya", "debería", "podría", "quería", "malo"),
        *("mala", "peor", "pasada", "pasado"),
    )
)
# Beside a clear choice, a sentence with one of these may be about it.
DECIDING = forms(
    (
        *("decide", "decided", "tomorrow", "think", "thinking", "would", "choose", "pick"),
        *("take", "taken", "prefer", "change", "test", "testing", "soon", "yet", "hold", "until"),
        *("entscheide", "entscheiden", "überlege", "überlegen", "später", "würde", "wähle"),
        *("nehme", "nimm", "nehmen", "ändere", "ändern", "probe"),
        *("decido", "decidir", "pienso", "pensar", "pensarlo", "tomo", "elijo", "elegir"),
        *("prefiero", "cambio", "cambiar", "prueba", "todavía", "aún"),
    )
)
HARMLESS_DENIALS = forms(("all", "everything", "anything", "todo", "noch", "mai", "statt"))
# "not 3 but 2", "2, no wait, 3": the last number is probably meant.
CORRECTIONS = forms(
    (
        *("but", "rather", "no", "wait", "sorry", "oops", "mean", "meant", "actually"),
        *("correction", "sondern", "lieber", "doch", "stattdessen", "nein", "nee", "ups", "meine"),
        *("quatsch", "moment", "halt", "korrektur", "besser"),
        *("sino", "mejor", "perdón", "espera", "digo", "corrijo", "corrección"),
    )
)
QUESTION_STARTS = sentence_pattern(
    """
    [say|so|hi|hello|and] (what|how|when|why|who|where|which|whose) {verb} ..
    [say|so|hi|hello|and] (what's|how's|who's|where's|how many|how much|how long|what happens) ..
    (can|could|may|should|shall|would|will|do|does|did|is|are|am) \
        (i|you|we|it|this|that|there|the|number|anyone|someone) ..
    [sag mal|sagt mal|und|hallo] (was|wie|wann|warum|wieso|weshalb|wer|wo|wohin|welche|welcher|\
        welches|welchen|wieviel|wieviele) {tut} ..
    [sag mal|sagt mal|und|hallo] (wie viel|wie viele|wie lange|wie oft) ..
    (kann|kannst|könnte|könntest|darf|soll|sollte|muss|wäre|ist|sind|habe|hast|gibt) \
        (ich|du|ihr|wir|es|das|die|der|man) ..
    (qué|cómo|cuándo|cuánto|cuánta|cuántos|cuántas|quién|dónde|cuál|cuáles|por qué) {hace} ..
    (puedo|puedes|podría|podrías|debo|es posible|hay|tengo que) ..
    (sag mal|tell me|can you tell|kannst du mir sagen|dime) ..
    """,
    verb="is|are|do|does|did|can|could|should|would|will|am|was|were|has|have|to|about|one|else",
    tut="ist|sind|macht|kann|kannst|soll|sollte|muss|passiert|geht|bedeutet|heißt|gibt|war|wird|"
    "hat|habe|mache|spiele|bringt|zählt|steht|läuft|sieht|darf|möglich",
    hace="hace|es|son|pasa|significa|puedo|puedes|tengo|hago|debo|está|están|quiere|vale|va|"
    "juego|funciona|tiempo|hay|falta",
)
