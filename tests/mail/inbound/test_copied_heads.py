"""Headers of an older mail in the text of a reply, as Outlook and others copy them."""

import pytest

from service.mail.inbound.copied_heads import is_copied_head, is_separator
from service.mail.inbound.own_words import own_words

ADDRESS = "turn+c2kd7qh5m4wzr6ja3xbt2vny@mail.laguna.example"
LAGUNA = f"Laguna <{ADDRESS}>"
DATE = "2025-11-04 17:02"
TO, GAME = "Bela Kovacs <bela@example.net>", "Mille Fiori"

LABELS = {
    "en": ("From", "Sent", "To", "Subject"),
    "de": ("Von", "Gesendet", "An", "Betreff"),
    "es": ("De", "Enviado el", "Para", "Asunto"),
    "fr": ("De ", "Envoyé ", "À ", "Objet "),
    "it": ("Da", "Inviato", "A", "Oggetto"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp"),
    "pt": ("De", "Enviada em", "Para", "Assunto"),
    "no": ("Fra", "Sendt", "Til", "Emne"),
    "da": ("Fra", "Sendt", "Til", "Emne"),
    "sv": ("Från", "Skickat", "Till", "Ämne"),
    "fi": ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    "pl": ("Od", "Wysłano", "Do", "Temat"),
    "cs": ("Od", "Odesláno", "Komu", "Předmět"),
    "sk": ("Od", "Odoslané", "Komu", "Predmet"),
    "hu": ("Feladó", "Küldve", "Címzett", "Tárgy"),
    "tr": ("Kimden", "Gönderilme Tarihi", "Kime", "Konu"),
    "ru": ("От", "Отправлено", "Кому", "Тема"),
    "uk": ("Від", "Надіслано", "Кому", "Тема"),
    "el": ("Από", "Εστάλη", "Προς", "Θέμα"),
    "ro": ("De la", "Trimis", "Către", "Subiect"),
    "hr": ("Šalje", "Poslano", "Prima", "Predmet"),
    "ja": ("差出人", "送信日時", "宛先", "件名"),
    "zh": ("发件人", "发送时间", "收件人", "主题"),
    "zh-tw": ("寄件者", "寄件日期", "收件者", "主旨"),
    "ko": ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
    "he": ("מאת", "נשלח", "אל", "נושא"),
    "ar": ("من", "تاريخ الإرسال", "إلى", "الموضوع"),
}
FORMS = {
    "plain": "{label}: {value}",
    "bold": "*{label}:* {value}",
    "bold-word": "*{label}*: {value}",
}


def head(language: str, form: str) -> list[str]:
    values = (LAGUNA, DATE, TO, GAME)
    return [
        FORMS[form].format(label=label, value=value)
        for label, value in zip(LABELS[language], values, strict=True)
    ]


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("form", FORMS)
def test_everything_below_copied_headers_is_quoted(language: str, form: str) -> None:
    lines = head(language, form)
    for between in ("\n", "\n\n"):
        own = own_words(f"2\n\n{between.join(lines)}\n\n3. quartz-1 W13\n4\n", "Bela Kovacs")
        assert own.text == "2"
        assert own.quote.endswith("3. quartz-1 W13\n4")
        assert "copied_head" in {record.why for record in own.taken_off}


@pytest.mark.parametrize("language", LABELS)
def test_headers_may_have_the_mail_before_the_date_or_no_recipient(language: str) -> None:
    sender, sent, _, subject = head(language, "plain")
    assert is_copied_head([sender, subject, sent], 0)
    assert is_copied_head([f"{sender};", sent, subject], 0)


@pytest.mark.parametrize(
    "text",
    [
        "say: hello\nnote: watch Ben\nplan: high",
        "say: hello\nnote: at 17:02\naway: 24.12.2025 - 2.1.2026",
        "Antwort: 2\nDanke: sehr\nGruss: Bela",
        "From: me",
        "3: yes\n4: no\n5: at 17:02 on 4.11.2025",
        "say: hello\nnote: x\naway: 24.12. - 2.1.2026",
    ],
)
def test_lines_of_people_are_no_copied_headers(text: str) -> None:
    assert own_words(text).text == text


@pytest.mark.parametrize(
    "line",
    [
        "-----Original Message-----",
        "-------- Původní zpráva --------",
        "-------- Oryginalna wiadomość --------",
        "-------- Alkuperäinen viesti --------",
        "------------------ 原始邮件 ------------------",
        "---------- Forwarded message ---------",
        "-------- Ursprungligt meddelande --------",
        "======= Исходное сообщение =======",
    ],
)
def test_words_between_dashes_separate_an_older_mail(line: str) -> None:
    assert own_words(f"2\n\n{line}\n3\n4").text == "2"
    assert is_separator([line, *head("cs", "plain")], 0, written=False)


def test_a_decorated_line_on_top_separates_nothing() -> None:
    assert own_words("--- Hello there ---\n2").text == "--- Hello there ---\n2"
    assert own_words("--- 3 ---\n2").text == "--- 3 ---\n2"
