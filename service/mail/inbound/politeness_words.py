"""Polite words of replies that ask for nothing: greetings, thanks, closings and smileys."""

from service.mail.inbound.word_forms import forms

GREETINGS = forms(
    (
        *("hi", "hello", "hey", "hiya", "howdy", "good morning", "good afternoon", "good evening"),
        *("good day", "morning", "evening", "greetings", "dear", "hi there", "hello there"),
        *("hallo", "moin", "moin moin", "servus", "grüß gott", "grüß dich", "grüezi", "tach"),
        *("guten tag", "guten morgen", "guten abend", "hallöchen", "hi zusammen"),
        *("liebe", "lieber", "liebes"),
        *("hola", "buenas", "buenos días", "buen día", "buenas tardes", "buenas noches"),
        *("querido", "querida", "queridos", "estimado", "estimada", "estimados"),
        *("bonjour", "bonsoir", "salut", "buongiorno", "ciao", "salve", "goedendag", "olá", "hoi"),
    )
)
# Greetings that need a name: "dear 2" greets nobody.
NEED_A_NAME = forms(
    (
        *("dear", "liebe", "lieber", "liebes", "querido", "querida", "queridos"),
        *("estimado", "estimada", "estimados"),
    )
)
ADDRESSEES = forms(
    (
        *("laguna", "team", "all", "everyone", "everybody", "there", "again", "folks", "guys"),
        *("friends", "you", "to", "from", "both", "and", "players", "the", "laguna-team"),
        *("zusammen", "an", "alle", "allerseits", "leute", "ihr", "euch", "dir", "und", "freunde"),
        *("nochmal", "mal", "wieder", "liebes", "mitspieler", "in", "die", "runde"),
        *("a", "todos", "todas", "amigos", "amigas", "equipo", "de", "y", "gente", "otra", "vez"),
    )
)
THANKS = forms(
    (
        *("thanks", "thank you", "many thanks", "thx", "thanks a lot", "thank you very much"),
        *("thank you so much", "thanks so much", "ty", "cheers and thanks", "much appreciated"),
        *("thanks again", "thanks in advance", "with thanks", "and thanks", "and thank you"),
        *("danke", "vielen dank", "danke schön", "dankeschön", "besten dank", "herzlichen dank"),
        *("danke sehr", "tausend dank", "danke im voraus", "vielen lieben dank", "und danke"),
        *("lieben dank", "danke vielmals", "danke nochmal", "schönen dank", "merci"),
        *("grazie", "dank je", "bedankt", "obrigado", "obrigada", "merci beaucoup", "grazie mille"),
        *("gracias", "muchas gracias", "mil gracias", "muchísimas gracias", "y gracias"),
        *("gracias de nuevo", "gracias de antemano", "gracias por todo"),
    )
)
CLOSINGS = forms(
    (
        *("best", "best wishes", "best regards", "kind regards", "regards", "warm regards"),
        *("cheers", "greetings", "sincerely", "yours", "yours sincerely", "all the best", "bye"),
        *("kindest regards", "many greetings", "take care", "love", "xoxo", "yours truly", "br"),
        *("bye bye", "see you", "see you soon", "see you later", "talk soon", "warmly"),
        *("viele grüße", "liebe grüße", "beste grüße", "grüße", "gruß"),
        *("schöne grüße", "lieben gruß"),
        *("schönen gruß", "viele liebe grüße", "herzliche grüße", "freundliche grüße", "gruss"),
        *("mit freundlichen grüßen", "mit besten grüßen", "mit freundlichem gruß", "besten gruß"),
        *("mit lieben grüßen", "ganz liebe grüße", "viele grüsse", "liebe grüsse", "grüsse"),
        *("lg", "mfg", "vg", "bg", "hg", "gglg", "tschüss", "tschüß", "ciao"),
        *("bis bald", "bis dann"),
        *("bis später", "bis morgen", "alles gute", "alles liebe", "herzlich"),
        *("herzlichst", "dein"),
        *("deine", "euer", "eure", "servus und bis bald"),
        *("saludos", "un saludo", "saludos cordiales", "cordiales saludos", "un cordial saludo"),
        *("un abrazo", "abrazos", "atentamente", "hasta luego", "hasta pronto", "adiós", "besos"),
        *("un beso", "saludos a todos", "muchos saludos", "nos vemos", "cordialmente", "chao"),
        *("hasta mañana", "abrazo", "un fuerte abrazo", "cuídate", "saluditos"),
    )
)
# Closings that need an end of a sentence before them: "the best", "3 yours".
NEED_A_PAUSE = forms(
    ("best", "yours", "love", "see you", "dein", "deine", "euer", "eure", "herzlich", "take care")
)

# Words that are no name though they begin with a capital: "2 / Wait", "2 / Nur Spaß".
NOT_NAMES = forms(
    (
        *("wait", "wrong", "never", "cancel", "oops", "ups", "error", "mistake"),
        *("maybe", "perhaps"),
        *("sorry", "and", "but", "or", "if", "not", "no", "none", "only", "just"),
        *("kidding", "joke"),
        *("the", "other", "undo", "stop", "hold", "forget", "ignore", "actually", "rather", "i"),
        *("he", "she", "they", "you", "we", "my", "your", "his", "her", "is", "are", "was", "for"),
        *("because", "then", "later", "tomorrow", "today", "next", "last", "same"),
        *("again", "please"),
        *("your", "it", "this", "that", "to", "at", "on", "in", "with", "from", "of", "a", "an"),
        *("quatsch", "falsch", "warte", "warten", "moment", "halt", "stopp", "nein"),
        *("doch", "nicht"),
        *("nee", "nö", "vielleicht", "oder", "und", "aber", "nur", "spaß", "scherz", "egal"),
        *("unsinn", "blödsinn", "vergiss", "vergesst", "lieber", "besser", "sonst"),
        *("wenn", "falls"),
        *("kein", "keine", "keinen", "ahnung", "mist", "irrtum", "fehler", "ich", "du"),
        *("er", "sie"),
        *("wir", "ihr", "es", "das", "die", "der", "dann", "später", "morgen", "heute", "weil"),
        *("noch", "ja", "zurück", "jetzt", "für", "mit", "von", "zu", "bis", "ohne", "statt"),
        *("alles", "nichts", "mein", "meine", "abbruch", "storno"),
        *("espera", "perdón", "mejor", "quizás", "quizá", "pero", "y", "o", "si", "sí", "nada"),
        *("broma", "equivocación", "olvida", "olvídalo", "otra", "otro", "el", "la", "los", "las"),
        *("yo", "tú", "él", "ella", "es", "luego", "mañana", "hoy", "porque", "para", "con", "sin"),
        *("nunca", "jamás", "cancelar", "cancela", "atrás", "un", "una", "mi", "su"),
    )
)
SMILEYS = frozenset(
    (
        *(":)", ":-)", ";)", ";-)", ":d", ":-d", ":]", "=)", "^^", "xd", ":p", ":-p", ":o)", "(:"),
        *(":(", ":-(", ":))", ":-))", ":')", "<g>", "xx", "xxx", ":*", ":-*", "\\o/", "-", "--"),
        *("+++",),
    )
)
# Signs that deny, doubt or mock are not among them.
EMOJI = frozenset(
    "\U0001f44d\U0001f44c\U0001f44b\U0001f44f\U0001f64f\U0001f64c\U0001f64b\U0001f4aa\U0001f91e"
    "\U0001f91d\U0001f91f\U0001f917\U0001f923\U0001f929\U0001f970\U0001f973\U0001f970\U0001f389"
    "\U0001f38a\U0001f3b2\U0001f340\U0001f31e\U0001f308\U0001f525\U0001f680\U0001f3c6\U0001f499"
    "\U0001f49a\U0001f49b\U0001f49c\U0001f495\U0001f496\U0001f618\U0001f60d\U0001f609\U0001f60a"
    "\U0001f60b\U0001f60e\U0001f600\U0001f601\U0001f602\U0001f603\U0001f604\U0001f605\U0001f606"
    "\U0001f607\U0001f61b\U0001f61c\U0001f61d\U0001f642\U0001f622\U0001f62d\U0001f62c"
    "\u263a\u2764\u270c\u2714\u2705\u2713\u2600\u2728\u2b50\u2665\ufe0f\u200d\U0001f3fb\U0001f3fc"
    "\U0001f3fd\U0001f3fe\U0001f3ff"
)
