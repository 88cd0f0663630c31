"""Words of lines that programs and companies add to a text, in the form of `plain_text.folded`."""

import re

# Lines of a person's message or note, which may speak of anything.
TALK_BEGINS = re.compile(
    r"(?:say|chat|tell|to all|sag|sage|sagen|an alle|notiz|notiere|di|decir|a todos|apunta|anotar)"
    r"(?![\w-])"
)
NOTE_BEGINS = re.compile(
    r"(?:note|nota|notiz|notice|hinweis|wichtig|important|importante|aviso)(?![\w-])"
)

SIGNATURE_BEGINS = (
    *("sent from ", "sent with ", "sent via ", "sent using ", "sent by "),
    *("get outlook for ", "get bluemail for"),
    *("von meinem", "von meiner", "von unterwegs gesendet", "gesendet mit ", "gesendet von "),
    *("gesendet ueber ", "gesendet aus ", "gesendet via ", "diese nachricht wurde von meinem "),
    *("holen sie sich outlook", "outlook fuer ", "laden sie outlook", "diese e-mail wurde von "),
    *("enviado desde ", "enviado con ", "enviado por ", "enviado mediante ", "enviado do meu "),
    *("obtener outlook para ", "obtenga outlook", "descargar outlook", "consigue outlook"),
    *("envoye de mon ", "envoye depuis ", "envoye avec ", "envoye a partir ", "inviato da "),
    *("inviato con ", "inviato dal ", "verstuurd vanaf ", "verzonden vanaf ", "verzonden met "),
    *("obtenir outlook pour ", "scarica outlook", "telechargez outlook", "skickat fran "),
    *("sendt fra ", "lahetetty ", "laehetetty ", "wyslane z ", "wyslano z ", "odeslano z "),
    *("odoslane z ", "poslano s ", "poslano iz ", "trimis de pe ", "trimis din ", "enviat des "),
    *("отправлено с ", "отправлено из ", "надiслано з ", "надiслано ", "изпратено от "),
    *("σταλθηκε απο ", "αποσταλθηκε ", "--- sent with ", "yahoo mail: search, organize"),
    *("yahoo mail -", "dieses schreiben wurde", "please excuse brevity", "please excuse typos"),
    *("bitte entschuldige die kuerze", "disculpa la brevedad", "sent on the go"),
)

# Product names of mail programs and devices, common words for devices, and words for "sent".
PRODUCT = re.compile(
    r"(?<![a-z0-9])(?:iphone|ipad|ipod|apple watch|macbook|android|outlook|samsung|galaxy|huawei"
    r"|xiaomi|redmi|oppo|oneplus|google pixel|nokia|motorola|xperia|blackberry|windows phone"
    r"|windows mail|yahoo|gmail|proton ?mail|k-?9|fairemail|bluemail|spark|thunderbird|aqua ?mail"
    r"|mailbird|airmail|edison mail|tutanota|mail\.ru|yandex|gmx|web\.de|posteo|fastmail|zoho"
    r"|superhuman|mailspring|mailtrack|mymail|typeapp|libero mail|seznam|naver|daum)"
)
DEVICE = re.compile(
    r"(?<![\w-])(?:telefon|handy|smartphone|mobiltelefon|movil|celular|mobile?|telephone|telefono"
    r"|cellulare|telefoon|puhelin|phone|tablet|device|geraet|dispositivo)"
)
SENT = re.compile(
    r"(?<![\w-])(?:sent|gesendet|geschickt|verschickt|enviad[oa]|envoye|inviat[oa]|verzonden"
    r"|verstuurd|skickat|sendt|laehetetty|lahetetty|wyslan[oey]|odesl|odoslan|kuld|kueld"
    r"|отправлен|надiслан|надіслан|изпратен|послат|poslan|trimis|enviat|bidali|dikirim|saadetud"
    r"|issiust|siust|nosutit|gui tu|da gui)|gonder|goender"
    r"|σταλθηκε|送信|发送|發送|發自|发自|传送|傳送|보냄|보낸|נשלח|ارسل|أرسل|إرسال|مرسل|ส่งจาก"
)
GET_OUTLOOK = re.compile(r"outlook.{0,30}(?:ios|android|mac|windows|mobile|iphone)")

# Lines that begin a footer, wherever they stand below the text.
FOOTER = re.compile(
    r"virus-free|virenfrei|virusvrij|libre de virus|sans virus|senza virus|sem virus"
    r"|(?:checked|scanned|tested|geprueft|gescannt|analizad|comprobad|verifi).{0,40}vir(?:us|en)"
    r"|auf viren (?:geprueft|ueberprueft|gescannt)|no virus found|keine viren gefunden"
    r"|^\W*(?:information|nachricht|informacion) (?:from|von|de) eset"
    r"|(?:avast|avg|eset|kaspersky|norton|mcafee|bitdefender|sophos|avira|f-secure|g data"
    r"|malwarebytes|mimecast|barracuda|proofpoint|messagelabs|symantec|trend micro)\b.{0,80}"
    r"(?:vir(?:us|en)|www\.|antivir|security|secure|software|gepr|scan|check|endpoint|protec)"
    r"|(?:vir(?:us|en)|antivir|security|software|gepr|scan|check|protec).{0,80}\b(?:avast|avg|eset"
    r"|kaspersky|norton|mcafee|bitdefender|sophos|avira|mimecast|barracuda|proofpoint"
    r"|messagelabs)\b"
    r"|\bmailtrack\b|sender notified by|sent with (?:superhuman|streak|mixmax|yesware|boomerang)"
    r"|you (?:have )?received this (?:message|e-?mail|mail) because|sie erhalten diese (?:e-?mail"
    r"|mail"
    r"|nachricht)|recib(?:es|e|iste|io) este (?:mensaje|correo|e-?mail)"
    r"|to (?:unsubscribe|stop receiving).{12,}|mailing[- ]list\b.{0,60}(?:@|http|$)"
    r"|consider the environment|before (?:you )?print|denken sie an (?:die|unsere) umwelt"
    r"|umwelt.{0,40}(?:drucken|ausdruck)|antes de imprimir|medio ?ambiente.{0,60}imprim"
    r"|imprimer (?:ce|cet)|l'environnement avant|prima di stampare|denk aan het milieu"
    r"|follow us on|folgen sie uns|folge uns|siguenos en"
)

DISCLAIMER_BEGINS = (
    *("this e-mail and any ", "this email and any ", "this message and any ", "confidential"),
    *("this e-mail is ", "this email is ", "this e-mail may ", "this email may ", "disclaimer"),
    *("this message is ", "this message may ", "this communication ", "the information contained"),
    *("this e-mail contains", "this email contains", "this message contains", "this transmission "),
    *("the information in this ", "diese e-mail enthaelt", "diese email enthaelt"),
    *("diese nachricht enthaelt", "diese e-mail ist ", "diese nachricht ist ", "vertraulich"),
    *("der inhalt dieser e-mail", "die information in dieser", "die in dieser e-mail"),
    *("este correo electronico ", "este mensaje ", "este correo ", "este e-mail ", "este email "),
    *("la informacion contenida ", "aviso legal", "aviso de confidencialidad", "please consider"),
    *("before printing", "bitte denken sie an die umwelt", "antes de imprimir"),
    *("ce message ", "ce courriel ", "cet e-mail ", "questo messaggio ", "questa e-mail "),
    *("dit bericht ", "deze e-mail ", "esta mensagem ", "if you are not the intended"),
    *("if you have received this", "wenn sie nicht der ", "sollten sie nicht der "),
    *("si usted no es el ", "si ha recibido este ", "si no es el destinatario", "avis de conf"),
    *("le informazioni contenute", "las informaciones contenidas", "les informations contenues"),
)
# Subjects of a legal text: confidence and recipient, the mail itself, and other words of it.
LEGAL = re.compile(
    r"confiden[ct]|vertraulich|vertrouwelijk|riservat|konfident|fortrolig|luottamuks|poufn|duvern"
    r"|доверительн|конфиденц|privileged|intended (?:recipient|solely|only|for)|addressee|empfaenger"
    r"|destinatari|destinataire|geadresseerde|mottagare|modtager|mottaker|adresat|prijemc"
    r"|unauthori[sz]ed"
    r"|unbefugt|liabilit|haftung|responsabilidad legal|legally|proteccion de datos|data protection"
    r"|datenschutz|rgpd|lopd|gdpr|dsgvo|secreto profesional|gizli|bizalmas|εμπιστευτικ"
    r"|機密|保密|기밀"
)
ABOUT_MAIL = re.compile(
    r"e-?mail|\bmails?\b|message|messaggio|communicat|comunicacion|comunicazion|transmission"
    r"|nachricht"
    r"|mensaje|mensagem|correo|courriel|bericht|meddeland|besked|melding|viesti|wiadomos|zprav"
    r"|sprav"
    r"|письм|сообщен|ileti|uzenet|attachment|anhang|anhaeng|adjunt|pieces? jointe|allegat|bijlage"
    r"|メール|邮件|郵件|메일"
)
MORE_LEGAL = re.compile(
    r"in error|irrtuemlich|versehentlich|por error|par erreur|per errore|delete|loesch|vernicht"
    r"|elimin|borr(?:ar|e)|supprim|detrui|cancell|disclos|disseminat|distribut|copying|weitergabe"
    r"|vervielfaeltig|verbreitung|divulg|prohibit|verboten|untersagt|gestattet|notify|immediately"
    r"|verstaendig|benachrichtig|notifi|inform|avis|views|opinion|company|gesellschaft|empresa"
)

# Notes that gateways put above a text.
BANNER_WORDS = re.compile(
    r"\b(?:extern(?:al|e[rs]?|o|a)?|outside|ausserhalb|fuera de|exterieur|caution|vorsicht|achtung"
    r"|warning|warnung|precaucion|advertencia|cuidado|atencion|attention|attenzione|let op|uwaga"
    r"|pozor|varning|advarsel|be careful|security notice|phishing|suspicious|untrusted)\b"
)
BANNER_TAG = re.compile(
    r"[\W_]*(?:external|extern|externe|externer absender|externo|external (?:e-?mail|sender"
    r"|message)"
    r"|externe (?:e-?mail|nachricht|mail)|correo externo|remitente externo|mensaje externo"
    r"|e-?mail externe|ext|spam|suspected spam|marked safe|secure|encrypted)[\W_]*"
)
BANNER_SUBJECTS = re.compile(
    r"e-?mail|\bmail|message|nachricht|correo|mensaje|courriel|sender|absender|remitente|expediteur"
    r"|organi[sz]ation|organizacion|unternehmen|firma|empresa|company|link|attachment|anhaeng"
    r"|anhang"
    r"|adjunt|enlace|piece jointe|click|klick|hagas clic|haga clic|open|oeffne"
)
