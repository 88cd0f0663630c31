"""Words by which mail programs introduce a quote or a signature, in several languages, in the
form of `plain_text.folded` (lower case, `ae` for `ä`, no accents)."""

MARKER = "##-"  # our letters begin with it

# "On <date>, <name> wrote:": beginnings and verbs.
ATTRIBUTION_BEGINS = (
    *("on ", "am ", "an ", "el ", "le ", "il ", "em ", "no dia ", "op ", "den ", "dne ", "dnia "),
    *("w dniu ", "pa ", "tiistai", "a(z) ", "la data ", "pe ", "в ", "em dom", "el dia "),
)
ATTRIBUTION_VERBS = (
    *("wrote", "writes", "schrieb", "schrieben", "geschrieben", "escribio", "ha escrito"),
    *("a ecrit", "ha scritto", "escreveu", "schreef", "skrev", "napsal", "napsala", "napisal"),
    *("napisala", "kirjoitti", "irta", "a scris", "написал", "написала", "пише", "va escriure"),
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

# Lines that programs and companies add below a text.
SIGNATURE_BEGINS = (
    *("sent from ", "sent with ", "sent via ", "sent using ", "sent by "),
    *("get outlook for ", "get bluemail for"),
    *("von meinem", "von meiner", "von unterwegs gesendet", "gesendet mit ", "gesendet von "),
    *("gesendet ueber ", "gesendet aus ", "gesendet via ", "diese nachricht wurde von meinem "),
    *("holen sie sich outlook", "outlook fuer ", "laden sie outlook", "diese e-mail wurde von "),
    *("enviado desde ", "enviado con ", "enviado por ", "enviado mediante ", "enviado do meu "),
    *("obtener outlook para ", "obtenga outlook", "descargar outlook", "consigue outlook"),
    *("envoye de mon ", "envoye depuis ", "envoye avec ", "inviato da ", "inviato con "),
    *("verstuurd vanaf ", "verzonden vanaf ", "obtenir outlook pour ", "scarica outlook"),
    *("virus-free.", "virenfrei.", "libre de virus", "this email has been checked for viruses"),
    *("--- sent with ", "yahoo mail: search, organize", "yahoo mail -", "dieses schreiben wurde"),
)
DISCLAIMER_BEGINS = (
    *("this e-mail and any ", "this email and any ", "this message and any ", "confidential"),
    *("this e-mail is ", "this email is ", "this e-mail may ", "this email may ", "disclaimer"),
    *("this message is ", "this message may ", "this communication ", "the information contained"),
    *("the information in this ", "diese e-mail enthaelt", "diese email enthaelt"),
    *("diese nachricht enthaelt", "diese e-mail ist ", "diese nachricht ist ", "vertraulich"),
    *("der inhalt dieser e-mail", "este correo electronico ", "este mensaje ", "este correo "),
    *("la informacion contenida ", "aviso legal", "aviso de confidencialidad", "please consider"),
    *("before printing", "bitte denken sie an die umwelt", "antes de imprimir"),
)
PGP_MESSAGE = "-----begin pgp message-----"
PGP_SIGNED = "-----begin pgp signed message-----"
PGP_SIGNATURE = "-----begin pgp signature-----"
