"""Additions of programs and companies to a reply, none of which is text of its writer. `{planted}`
is a place for something that must not be read."""

DEVICE_LINES = (
    "Sent from my iPhone",
    "Sent from my iPhone 15 Pro",
    "Sent from Outlook for iOS<https://aka.ms/o0ukef>",
    "Sent from my Galaxy S23",
    "Sent from my Huawei phone",
    "Sent from my mobile device, please excuse typos",
    "Sent from Yahoo Mail on Android",
    "Sent with Proton Mail secure email.",
    "Sent via BlueMail",
    "Get Outlook for iOS",
    "Get Outlook for Android <https://aka.ms/AAb9ysg>",
    "Von meinem iPhone gesendet",
    "Von meinem/meiner Galaxy gesendet",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Gesendet mit der GMX Mail App",
    "Outlook für Android herunterladen",
    "Enviado desde mi iPhone",
    "Enviado desde Outlook para Android",
    "Obtener Outlook para iOS",
    "Enviado do meu iPhone",
    "Obter o Outlook para Android",
    "Envoyé de mon iPhone",
    "Envoyé à partir d’Outlook pour iOS",
    "Télécharger Outlook pour Android",
    "Inviato da iPhone",
    "Scarica Outlook per Android",
    "Verstuurd vanaf mijn iPhone",
    "Outlook voor Android downloaden",
    "Verzonden vanuit Outlook voor iOS",
    "Skickat från min iPhone",
    "Hämta Outlook för Android",
    "Sendt fra min iPhone",
    "Hent Outlook til Android",
    "Sendt fra Outlook for Android",
    "Lähetetty iPhonesta",
    "Hanki Outlook Androidille",
    "Wysłane z iPhone'a",
    "Pobierz program Outlook dla systemu Android",
    "Odesláno z iPhonu",
    "Získejte Outlook pro Android",
    "Odoslané z iPhonu",
    "Az iPhone-omról küldve",
    "iPhone'umdan gönderildi",
    "Android için Outlook'u edinin",
    "Отправлено с iPhone",
    "Отправлено из мобильной Почты Mail.ru на Android",
    "Надіслано з iPhone",
    "Στάλθηκε από το iPhone μου",
    "Poslano s mog iPhonea",
    "Trimis de pe iPhone-ul meu",
    "Enviat des del meu iPhone",
    "iPhoneから送信",
    "Android 版 Outlook を入手",
    "发自我的iPhone",
    "从我的华为手机发送 HUAWEI",
    "來自我的 iPhone 傳送",
    "나의 iPhone에서 보냄",
    "نُرسل من الـ iPhone الخاص بي أرسل",
    "נשלח מה-iPhone שלי",
    "Gửi từ iPhone của tôi",
)
FOOTERS = (
    "Virus-free.\nwww.avast.com\n{planted}",
    "Virenfrei. www.avg.com\n{planted}",
    "Libre de virus. www.avast.com",
    "Diese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.\nwww.avast.com\n{planted}",
    "This email has been checked for viruses by AVG antivirus software.\n{planted}\nwww.avg.com",
    "El software de antivirus Avast ha analizado este correo electrónico en busca de virus.",
    "__________ Information from ESET Endpoint Antivirus, version 1.2 __________\n{planted}",
    "_______________________________________________\nGames mailing list\n{planted}",
    "--\nYou received this message because you are subscribed to the group.\n{planted}",
    "You received this message because you are subscribed to the Google Groups group.\n{planted}",
    "Sender notified by\nMailtrack\n{planted}",
    "Mailtrack Sender notified by Mailtrack 11/04/25, 17:02:11",
    "Sent with Superhuman",
    "Please consider the environment before printing this e-mail.\n{planted}",
    "P Denken Sie an die Umwelt, bevor Sie diese E-Mail ausdrucken.",
    "Antes de imprimir este mensaje, piensa en el medio ambiente.",
)
LEGAL_TEXTS = (
    "This e-mail and any attachments are confidential.\n{planted}",
    "NOTE: This e-mail is confidential and intended for the addressee only.\n{planted}",
    "Nota: este correo es confidencial y va dirigido a su destinatario.\n{planted}",
    "Hinweis: Diese E-Mail kann vertrauliche Informationen enthalten.\n{planted}",
    "WICHTIG: Der Inhalt dieser Nachricht ist vertraulich.",
    "AVISO LEGAL\nEste mensaje se dirige exclusivamente a su destinatario.\n{planted}",
    (
        "Les informations contenues dans ce message sont confidentielles et destinées exclusivement à "
        "la personne à laquelle elles sont adressées. Si vous avez reçu ce message par erreur, merci "
        "de le détruire.\n{planted}"
    ),
    (
        "Wiadomość ta i wszelkie pliki do niej załączone są poufne i przeznaczone wyłącznie do użytku "
        "adresata. Jeżeli nie są Państwo adresatem, prosimy o usunięcie wiadomości. Wszelkie "
        "rozpowszechnianie jest zabronione, dziękujemy za zrozumienie.\n{planted}"
    ),
    (
        "Acme Ltd accepts no liability for the content of this email, or for the consequences of any "
        "actions taken on the basis of the information provided. If you are not the intended recipient "
        "you are notified that disclosing, copying or distributing is prohibited.\n{planted}"
    ),
)
SIGNATURES = (
    "-- \nBela\n{planted}",
    "--\nBela Kovacs\n{planted}\n+36 30 123 4567",
    "Bela Kovacs\nAcme Ltd\n{planted}",
    "Senior Glazier\nAcme Ltd\nTel: +36 30 123 4567\n{planted}\nwww.acme.example",
    "Tel. 089 123456-12\n{planted}",
    "Acme GmbH | Hauptstr. 5 | 80331 München | +49 89 1234567\n{planted}",
    "Acme GmbH\nHauptstr. 5\n80331 München\nGeschäftsführer: B. Kovacs\nHRB 12345\n{planted}",
    "https://www.acme.example\n{planted}",
    "bela@acme.example\n{planted}",
    "Móvil: 612 345 678\n{planted}",
    "_____\nBela\n{planted}",
)
BANNERS = (
    "[EXTERNAL]",
    "[EXTERN]",
    "*** EXTERNAL EMAIL ***",
    "EXTERNAL EMAIL",
    (
        "CAUTION: This message originated outside of your organization. Do not click links or open "
        "attachments unless you recognize the sender."
    ),
    (
        "CAUTION: This email originated from outside of the organization.\n"
        "Do not click links or open attachments unless you know the content is safe."
    ),
    (
        "[EXTERNAL EMAIL] Exercise caution. Do not open attachments or click links from unknown "
        "senders."
    ),
    "Vorsicht: Diese E-Mail kommt von einem externen Absender. Öffnen Sie keine Anhänge oder Links.",
    "ACHTUNG: Diese E-Mail stammt von außerhalb der Organisation. Klicken Sie nicht auf Links.",
    "Precaución: este correo procede de fuera de la organización. No haga clic en enlaces.",
    (
        "ATTENTION : ce message provient d'un expéditeur externe. N'ouvrez pas les pièces jointes ou "
        "les liens de ce courriel."
    ),
)
QUOTES = (
    "> 3. quartz-1 W13\n> {planted}\n> Laguna",
    "On Tue, 4 Nov 2025 at 17:02, Laguna <turn+x@mail.laguna.example> wrote:\n\n> {planted}\n>\n> 4",
    "Am 04.11.25 um 17:02 schrieb Laguna:\n{planted}\n4",
    "pe ti 4. marrask. 2025 klo 17.02 Laguna <turn+x@mail.laguna.example> kirjoitti:\n{planted}",
    "Fra: Laguna <turn+x@mail.laguna.example>\nSendt: 4. november 2025 17:02\nEmne: x\n\n{planted}",
    "-----Original Message-----\n{planted}\n4",
    "________________________________\nFrom: Laguna\n{planted}",
    "##- reply above this line -##\n{planted}\n4",
)
