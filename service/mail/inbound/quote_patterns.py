"""Words by which mail programs introduce a quote, in several languages, in the form of
`plain_text.folded` (lower case, `ae` for `ä`, no accents). Other languages are known by shape
(`attributions`, `copied_heads`)."""

MARKER = "##-"  # the line of our letters to reply above
FIRST_SIGN = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"  # our letters begin with it

# "On <date>, <name> wrote:": beginnings and verbs.
ATTRIBUTION_BEGINS = (
    *("on ", "am ", "an ", "el ", "le ", "il ", "em ", "no dia ", "op ", "den ", "dne ", "dnia "),
    *("w dniu ", "pa ", "tiistai", "a(z) ", "la data ", "pe ", "в ", "em dom", "el dia ", "den "),
)
ATTRIBUTION_VERBS = (
    *("wrote", "writes", "schrieb", "schrieben", "geschrieben", "escribio", "ha escrito"),
    *("a ecrit", "ha scritto", "escreveu", "schreef", "skrev", "napsal", "napsala", "napisal"),
    *("napisala", "napisal(a)", "napsal(a)", "napisao", "napisao je", "napisal/-a", "kirjoitti"),
    *("irta", "a scris", "написал", "написала", "написал(а)", "пише", "пишет", "va escriure"),
    *("έγραψε", "εγραψε", "yazdi", "sunlari yazdi", "kirjutas", "rase", "rakstija", "viet"),
    *("het volgende geschreven", "написав", "написав(-ла)", "написа", "menulis"),
)
# "Quoting <name> <address>:", which needs no date.
QUOTING_BEGINS = ("quoting ", "zitat von ", "citando a ")

# Between dashes, or with a colon: "-----Original Message-----", "Begin forwarded message:".
OLD_MESSAGE = frozenset(
    (
        *("original message", "original mail", "original email", "reply message"),
        *("urspruengliche nachricht", "originalnachricht", "original-nachricht"),
        *("ursprungliche nachricht", "urspruengliche mail", "original nachricht"),
        *("mensaje original", "message d'origine", "message original", "messaggio originale"),
        *("mensagem original", "oorspronkelijk bericht", "original meddelelse"),
        *("forwarded message", "begin forwarded message", "forwarded by"),
        *("weitergeleitete nachricht", "anfang der weitergeleiteten nachricht"),
        *("mensaje reenviado", "inicio del mensaje reenviado", "message transfere"),
        *("debut du message reexpedie", "messaggio inoltrato", "doorgestuurd bericht"),
        *("inizio messaggio inoltrato", "mensagem encaminhada", "reenviado"),
    )
)

# Copied headers: "From: ..", "Sent: .."
HEAD_FIELDS = (
    *("from", "sent", "date", "to", "cc", "subject", "reply-to", "importance"),
    *("von", "gesendet", "datum", "an", "betreff", "kopie", "antwort an", "prioritaet"),
    *("de", "enviado", "enviado el", "fecha", "para", "asunto", "responder a"),
    *("envoye", "a", "objet", "da", "inviato", "data", "oggetto", "van", "verzonden", "aan"),
    *("onderwerp", "enviada", "enviada em", "assunto"),
)
HEAD_BEGINS = frozenset(
    ("from", "von", "de", "da", "van", "gesendet", "sent", "enviado", "enviado el", "date")
)

PGP_MESSAGE = "-----begin pgp message-----"
PGP_SIGNED = "-----begin pgp signed message-----"
PGP_SIGNATURE = "-----begin pgp signature-----"
