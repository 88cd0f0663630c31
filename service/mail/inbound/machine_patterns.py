"""Headers, subjects and phrases of mails that no person wrote. Phrases are in the form of
`plain_text.folded` (lower case, `ae` for `ä`, no accents)."""

import re

# Names of headers that only programs write, in lower case.
AUTOMATIC_HEADER = re.compile(
    r"x-.*(?:auto-?(?:reply|respon|answer|generat|notif|resp)|vacation|out-?of-?office).*"
    r"|x-ms-exchange-(?:inbox-rules-loop|generated-message-source|unipolarity.*oof.*)"
    r"|x-fc-machinegenerated|x-mail-autoreply|x-cron-env|x-mailer-daemon.*"
    r"|x-rt-(?:loop-prevention|originator|ticket|original-encoding|managed-by)|rt-ticket"
    r"|x-otrs-.*|x-znuny-.*|x-zendesk-.*|x-jira-.*|x-atlassian-.*|x-freshdesk.*|x-fd-.*"
    r"|x-freshservice.*"
    r"|x-zohodesk.*|x-zoho-desk.*|x-helpscout.*|x-kayako.*|x-osticket.*|x-servicenow-.*"
    r"|x-redmine-.*|x-bugzilla-.*|x-github-.*|x-gitlab-.*|x-trac-.*|x-mantis.*|x-intercom-.*"
    r"|x-spamarrest.*|x-boxbe.*|x-mailblocks.*|x-challenge.*|x-uol-.*challenge.*"
    r"|list-(?:id|post|help|subscribe)|x-mailing-list|x-list-id|x-mailman-version"
)
# Outlook gives this one to mails of people, too.
NOT_AUTOMATIC_HEADERS = ("x-auto-response-suppress",)
SUPPRESSED = "X-Auto-Response-Suppress"
AUTOMATIC_PRECEDENCE = ("bulk", "junk", "list", "auto_reply", "auto-reply", "vacation")
NO_REPLY = re.compile(
    r"(?:no|do-?not|nicht|non)[-_.]?(?:reply|replay|antworten|responder|rispondere)|noreply"
)
REACTION = "text/vnd.google.email-reaction+json"  # of Gmail

AUTOMATIC_SUBJECT = re.compile(
    r"(?:(?:not )?read:|(?:nicht )?gelesen:|(?:no )?leido:|(?:non )?letto:|lu ?:"
    r"|\[?auto(?:matic|mated|matically generated)?[- ]?(?:re(?:ply|sponse|spuesta)|antwort"
    r"|responder)"
    r"|auto:|auto-?reply|out of (?:the )?office|ooo\b|vacation|away from (?:my )?(?:office|e-?mail)"
    r"|on (?:vacation|leave|holiday)|automatische (?:antwort|nachricht)|autom\. antwort|abwesenheit"
    r"|abwesend|nicht im (?:buero|haus)|ausser haus|urlaub|respuesta automatica"
    r"|fuera de (?:la )?oficina"
    r"|ausente|ausencia|reponse automatique|absence du bureau|absent|message d'absence"
    r"|risposta automatica|fuori (?:sede|ufficio)|assenza|automatisch antwoord|afwezig"
    r"|niet aanwezig"
    r"|resposta automatica|fora do escritorio|ausencia|autosvar|automatiskt svar|franvaro"
    r"|automatisk svar"
    r"|ikke til stede|fravaer|ferie|automaattinen vastaus|poissa|automaticka odpoved|mimo kancelar"
    r"|odpowiedz automatyczna|autoodpowiedz|automatyczna odpowiedz|poza biurem|nieobecn"
    r"|automatikus valasz|hazon kivul|tavollet|otomatik yanit|ofis disinda|автоматический ответ"
    r"|автоответ|вне офиса|автоматична вiдповiдь|αυτοματη απαντηση|εκτος γραφειου|raspuns automat"
    r"|resposta automatica|automatski odgovor"
    r"|自動応答|自動返信|不在|自动答复|自动回复|自動回覆|자동 ?회신|부재중"
    r"|الرد التلقائي|رد تلقائي|תשובה אוטומטית)"
)
REPLY_PREFIX = re.compile(
    r"^(?:\[[^\]]{1,30}\] ?)?(?:re|aw|antw|sv|vs|odp|r|res|rif|ref|ynt|bls|atb|va"
    r"|回复|回覆|答复|返信|답장"
    r"|отв|"
    r"απ|vastaus|antwort)(?:\[\d+\])? ?:"
)

# An absence, said as a sentence.
ABSENCE = re.compile(
    r"\bout of (?:the )?office\b|\b(?:i am|i'm|i will be|i'll be|will be|currently) (?:currently )?"
    r"(?:away|absent|travelling|traveling|on (?:annual |parental |sick |maternity )?(?:leave"
    r"|vacation"
    r"|holidays?|a business trip)|unavailable|not in the office|out until)"
    r"|away from (?:my )?(?:desk|office|e-?mail|computer)|not (?:be )?in the office"
    r"|nicht (?:im (?:buero|haus|dienst)|erreichbar|am arbeitsplatz)|ausser haus|im urlaub|abwesend"
    r"|in elternzeit|auf dienstreise|urlaubsbedingt|krankheitsbedingt"
    r"|fuera de (?:la )?oficina|de vacaciones|(?:estoy|estare|me encuentro"
    r"|me encontrare) (?:ausente|fuera)"
    r"|no estare disponible|de baja|absente? du bureau|(?:suis|serai) (?:actuellement )?absente?"
    r"|en conges?"
    r"|en vacances|fuori (?:ufficio|sede)|in ferie|sono assente|saro assente|afwezig|met vakantie"
    r"|niet (?:op kantoor|aanwezig)|fora do escritorio|de ferias|(?:estou|estarei) ausente"
    r"|pa semester"
    r"|inte pa kontoret|franvarande|pa ferie|ikke pa kontoret|pa kontoret igen|fravaerende|lomalla"
    r"|poissa (?:toimistolta|toista)|en ole paikalla|na urlopie|poza biurem|nieobecn|na dovolene"
    r"|mimo kancelar|nepritomn|na dovolenke|szabadsagon|irodan kivul|nem vagyok az irodaban"
    r"|в отпуске"
    r"|вне офиса|отсутству|у вiдпустцi|у відпустці|odmoru|concediu|ofis disinda|izinde|tatilde"
    r"|εκτος γραφειου|σε αδεια|休暇|不在にして|不在の|休假|不在办公室|휴가|부재 ?중"
)
# Sentences of automatic replies besides the absence itself.
OFFICE_TALK = (
    re.compile(
        r"(?:please |kindly )?(?:contact|reach out to|get in touch with|call) (?!me\b).{2,60}"
        r"|wenden sie sich|kontaktieren sie|in dringenden|dringende|im notfall|meine vertretung"
        r"|vertritt mich|pongase en contacto|contacte con|contactar|casos? urgentes?|para urgencias"
        r"|urgent (?:matter|case|issue|request)|urgentl?y?\b|en cas d'urgence|veuillez contacter"
        r"|adressez"
        r"|in caso di urgenz|contattare|neem(?:t u)? contact|voor dringende|em caso de urg"
        r"|entre em contato"
        r"|kontakta|bradskande|kontakt|haste|kiireelli|ota yhteytta|pilnych|prosze o kontakt|prosim"
        r"|nalehav|s(?:u|ue)rgos|keresse|срочн|обращайтесь|terminowych|acil"
    ),
    re.compile(
        r"limited (?:or no )?access|no access to|(?:e-?mails?|messages?) (?:will|are"
        r"|is) not (?:be )?"
        r"(?:read|forwarded|monitored|checked)|eingeschraenkt|keinen zugriff"
        r"|nicht (?:weitergeleitet|gelesen"
        r"|regelmaessig)|acceso limitado|sin acceso|acces limite|accesso limitato|beperkt"
        r"|acesso limitado"
        r"|begransad|begraenset|rajoitet|ograniczony dostep|omezeny|korlatozott|ограничен"
    ),
    re.compile(
        r"thank(?:s| you)(?: very much)? for (?:your|the) (?:e-?mail|mail|message|note|interest"
        r"|inquiry)"
        r"|(?:dank|danke) fuer (?:ihre|deine|die|eure) (?:e-?mail|mail|nachricht|anfrage)"
        r"|gracias por (?:su|tu) (?:mensaje|correo|e-?mail)|merci (?:pour|de) votre (?:message"
        r"|e-?mail|mail"
        r"|courriel)|grazie per (?:la (?:sua|tua) (?:e-?mail|mail)|il (?:suo|tuo))"
        r"|bedankt voor (?:uw|je)"
        r"|obrigad[oa] (?:por|pela) (?:sua|seu)|tack for (?:ditt|din)|tak for din|takk for"
        r"|kiitos viesti"
        r"|dziekuje za (?:wiadomosc|mail|e-mail)|dekuji za|koszonom|спасибо за"
    ),
    re.compile(
        r"(?:will|shall|'ll) (?:respond|reply|answer|get back|read|attend|return your|be back)"
        r"|(?:upon|on|after|until) my return|(?:nach|bei|bis zu) meiner rueckkehr|werde ich .{0,60}"
        r"(?:beantwort|antwort|melden|bearbeit)|wieder (?:erreichbar|im buero|fuer sie da)"
        r"|zurueck im buero"
        r"|respondere|a mi (?:regreso|vuelta)|contestare|repondrai|a mon retour|rispondero"
        r"|al mio (?:ritorno"
        r"|rientro)|zal ik|bij (?:mijn )?terugkomst|ik ben (?:weer|terug)|responderei"
        r"|no meu regresso|ater"
        r"|tillbaka|tilbage|tilbake|palaan|vastaan|odpowiem|po powrocie|odpovim|vratim|valaszolok"
        r"|отвечу"
    ),
    re.compile(
        r"\bthe office\b|im buero|la oficina|du bureau|in ufficio|op kantoor|do escritorio|kontoret"
        r"|toimisto|biur|kancelar|irodab|офис|colleague|kolleg|companero|collegue|collega"
        r"|assistant|mitarbeiter"
    ),
)
SAYS_AUTOMATIC = re.compile(
    r"(?:this is an|das ist eine?|dies ist eine?|esta? es una?|ceci est une?|questa e una"
    r"|dit is een) "
    r"(?:auto\w*|respuesta auto\w*|risposta auto\w*|reponse auto\w*|mensaje auto\w*"
    r"|message auto\w*)"
    r"|auto(?:matic(?:ally)?|mated|matisch\w*) (?:generated |erstellte? |erzeugte? |generierte? )?"
    r"(?:reply|response|message|e-?mail|mail|antwort|nachricht|notification)"
    r"|(?:do not|don't|please do not) (?:reply|respond) to this (?:e-?mail|mail|message)"
    r"|bitte antworten sie nicht auf diese|no responda a este|autoresponder|auto-?reply"
    r"|respuesta automatica|reponse automatique|risposta automatica|automatisch antwoord"
    r"|resposta automatica"
    r"|autosvar|automaattinen vastaus|automatyczna odpowiedz|automaticka odpoved"
    r"|автоматический ответ"
)
# The whole text of notes about a mail of ours: reactions, receipts, tickets, recalls.
NOTE_ABOUT_MAIL = re.compile(
    r"\W{0,10}.{0,80}\breacted (?:via gmail|to your (?:message|e-?mail))\b.{0,200}"
    r"|\W{0,10}.{0,80} (?:hat|haben) (?:per|ueber|via|mit|auf).{0,60}reagiert\b.{0,200}"
    r"|\W{0,10}.{0,80} (?:ha reaccionado|reacciono) (?:a|mediante|desde|a traves).{0,200}"
    r"|\W{0,10}.{0,80} a reagi (?:via|a) .{0,200}|\W{0,10}.{0,80} ha reagito .{0,200}"
    r"|(?:liked|loved|disliked|laughed at|emphasi[sz]ed|questioned"
    r"|reacted .{1,30} to) \".{0,2000}\""
    r"|(?:hat|haben) \".{0,2000}\" (?:mit \".{1,40}\" )?(?:markiert|hervorgehoben)\.?"
    r"|(?:your message|ihre nachricht|deine nachricht|su mensaje|tu mensaje)(?: (?:to|an"
    r"|a)\b.{0,300})? "
    r"(?:was (?:read|deleted|opened|delivered)|wurde (?:.{0,60} )?(?:gelesen|geloescht|zugestellt)"
    r"|(?:se leyo|fue leido|ha sido leido)).{0,300}"
    r"|.{0,100} would like to recall the message.{0,200}"
    r"|.{0,100} moechte die nachricht .{0,200} zurueckrufen.{0,100}"
    r"|.{0,600}(?:ticket|request|anfrage|vorgang|solicitud|case)\W{0,3}(?:id|number|nummer|numero"
    r"|no|nr)?"
    r"\W{0,4}(?:#|\[)?\w{0,12}\d{3,12}\]?.{0,80}(?:has been|was|wurde|is) (?:created|received"
    r"|opened|erstellt"
    r"|angelegt|eroeffnet|updated|resolved|closed).{0,1000}"
    r"|.{0,600}(?:confirm|verify) (?:your|that your|the) (?:e-?mail|message|address|mail|identity)"
    r".{0,400}(?:click|link|http|reply to this|human).{0,1000}",
    re.DOTALL,
)
