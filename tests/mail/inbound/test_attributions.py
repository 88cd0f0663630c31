"""Attributions of quotes as programs write them, in many languages."""

from textwrap import fill

import pytest

from service.mail.inbound.attributions import Attribution, attribution_at
from service.mail.inbound.own_words import own_words

ADDRESS = "turn+c2kd7qh5m4wzr6ja3xbt2vny@mail.laguna.example"
LAGUNA = f"Laguna <{ADDRESS}>"

# As programs write them: in one line, or broken where the line was full.
ATTRIBUTIONS = {
    "gmail-en": f"On Tue, Nov 4, 2025 at 5:02 PM Laguna <\n{ADDRESS}> wrote:",
    "gmail-en-gb": f"On Tue, 4 Nov 2025 at 17:02, Laguna\n<{ADDRESS}> wrote:",
    "gmail-de": f"Am Di., 4. Nov. 2025 um 17:02 Uhr schrieb Laguna <\n{ADDRESS}>:",
    "gmail-es": f"El mar, 4 nov 2025 a las 17:02, Laguna (<{ADDRESS}>)\nescribió:",
    "gmail-fr": f"Le mar. 4 nov. 2025 à 17:02, {LAGUNA} a\nécrit :",
    "gmail-it": f"Il giorno mar 4 nov 2025 alle ore 17:02 Laguna <\n{ADDRESS}> ha scritto:",
    "gmail-nl": f"Op di 4 nov 2025 om 17:02 schreef Laguna <\n{ADDRESS}>:",
    "gmail-pt": f"{LAGUNA} escreveu (terça, 4/11/2025\nà(s) 17:02):",
    "gmail-pl": f"wt., 4 lis 2025 o 17:02 Laguna <\n{ADDRESS}> napisał(a):",
    "gmail-cs": f"út 4. 11. 2025 v 17:02 odesílatel Laguna <\n{ADDRESS}> napsal:",
    "gmail-sk": f"ut 4. 11. 2025 o 17:02 Laguna <{ADDRESS}>\nnapísal(a):",
    "gmail-hu": f"Laguna <{ADDRESS}> ezt írta (időpont: 2025.\nnov. 4., K, 17:02):",
    "gmail-sv": f"Den tis 4 nov. 2025 kl 17:02 skrev Laguna <\n{ADDRESS}>:",
    "gmail-da": f"Den tirs. 4. nov. 2025 kl. 17.02 skrev Laguna <\n{ADDRESS}>:",
    "gmail-no": f"tir. 4. nov. 2025 kl. 17:02 skrev Laguna <\n{ADDRESS}>:",
    "gmail-fi": f"ti 4. marrask. 2025 klo 17.02 Laguna ({ADDRESS})\nkirjoitti:",
    "gmail-tr": f"Laguna <{ADDRESS}>, 4 Kas 2025 Sal, 17:02\ntarihinde şunu yazdı:",
    "gmail-ru": f"вт, 4 нояб. 2025 г. в 17:02, {LAGUNA}:",
    "gmail-uk": f"вт, 4 лист. 2025 р. о 17:02 {LAGUNA} пише:",
    "gmail-bg": f"На вт, 4.11.2025 г. в 17:02 ч. {LAGUNA}\nнаписа:",
    "gmail-el": f"Στις Τρί 4 Νοε 2025 στις 5:02 μ.μ., ο χρήστης Laguna <\n{ADDRESS}> έγραψε:",
    "gmail-ro": f"Pe mar., 4 nov. 2025 la 17:02, {LAGUNA}\na scris:",
    "gmail-hr": f"uto, 4. stu 2025. u 17:02 {LAGUNA}\nnapisao je:",
    "gmail-sr": f"уто, 4. нов 2025. у 17:02 {LAGUNA} је написао/ла:",
    "gmail-ca": f"Missatge de {LAGUNA} del dia dt., 4 de nov.\n2025 a les 17:02:",
    "gmail-eu": f"{LAGUNA} erabiltzaileak hau idatzi du (2025 aza. 4, ar.\n17:02):",
    "gmail-ja": f"2025年11月4日(火) 17:02 {LAGUNA}:",
    "gmail-zh": f"Laguna <{ADDRESS}> 于2025年11月4日周二 17:02写道：",
    "gmail-zh-tw": f"{LAGUNA} 於 2025年11月4日 週二 下午5:02寫道：",
    "gmail-ko": f"2025년 11월 4일 (화) 오후 5:02, {LAGUNA}님이 작성:",
    "gmail-he": f"\u202bבתאריך יום ג׳, 4 בנוב׳ 2025 ב-17:02 מאת \u202aLaguna\u202c\u200f <\u202a{ADDRESS}\u202c\u200f>:\u202c",
    "gmail-ar": f"في الثلاثاء، ٤ نوفمبر ٢٠٢٥ في ٥:٠٢ م تمت كتابة ما يلي بواسطة {LAGUNA}:",
    "gmail-fa": f"در تاریخ سه‌شنبه ۴ نوامبر ۲۰۲۵،\u200f ۱۷:۰۲ {LAGUNA} نوشت:",
    "gmail-vi": f"Vào Th 3, 4 thg 11, 2025 vào lúc 17:02 {LAGUNA}\nđã viết:",
    "gmail-id": f"Pada Sel, 4 Nov 2025 pukul 17.02 {LAGUNA}\nmenulis:",
    "gmail-th": f"ในวันที่ อ. 4 พ.ย. 2025 เวลา 17:02 {LAGUNA}\nเขียนว่า:",
    "gmail-lt": f"an, 2025-11-04 17:02 {LAGUNA} rašė:",
    "gmail-et": f"Kuupäev T, 4. november 2025 kell 17:02 kirjutas {LAGUNA}:",
    "iphone-en": f"On 4 Nov 2025, at 17:02, {LAGUNA} wrote:",
    "iphone-fi": f"{LAGUNA} kirjoitti 4.11.2025 kello 17.02:",
    "iphone-sv": f"4 nov. 2025 kl. 17:02 skrev {LAGUNA}:",
    "iphone-tr": f"{LAGUNA} şunları yazdı (4 Kas 2025 17:02):",
    "iphone-pl": f"Wiadomość napisana przez {LAGUNA} w dniu 4 lis\n2025, o godz. 17:02:",
    "iphone-cs": f"4. 11. 2025 v 17:02, {LAGUNA}:",
    "iphone-hu": f"2025. nov. 4. dátummal, 17:02 időpontban {LAGUNA}\nírta:",
    "iphone-no": f"4. nov. 2025 kl. 17:02 skrev {LAGUNA}:",
    "iphone-ru": f"4 нояб. 2025 г., в 17:02, {LAGUNA} написал(а):",
    "iphone-el": f"4 Νοε 2025, στις 17:02, ο χρήστης «{LAGUNA}» έγραψε:",
    "iphone-ja": f"2025/11/04 17:02、{LAGUNA}のメール:",
    "iphone-da": f"Den 4. nov. 2025 kl. 17.02 skrev {LAGUNA}:",
    "iphone-ca": f"El 4 nov 2025, a les 17:02, {LAGUNA} va escriure:",
    "iphone-hr": f"{LAGUNA} je 4. 11. 2025. u 17:02 napisao:",
    "iphone-nl": f"Op 4 nov 2025 om 17:02 heeft {LAGUNA} het volgende\ngeschreven:",
    "iphone-zh": f"在 2025年11月4日，17:02，{LAGUNA} 写道：",
    "iphone-ko": f"2025. 11. 4. 오후 5:02, {LAGUNA} 작성:",
    "thunderbird-fi": "Laguna kirjoitti 4.11.2025 klo 17.02:",
    "thunderbird-hu": "2025. 11. 04. 17:02 keltezéssel, Laguna írta:",
    "thunderbird-cs": "Dne 04. 11. 25 v 17:02 Laguna napsal(a):",
    "thunderbird-pl": "W dniu 4.11.2025 o 17:02, Laguna pisze:",
    "thunderbird-ru": "04.11.2025 17:02, Laguna пишет:",
    "thunderbird-ja": "On 2025/11/04 17:02, Laguna wrote:",
    "thunderbird-lv": "Laguna rakstīja 04.11.2025 17:02:",
    "onet-pl": f"W dniu 2025-11-04 17:02:11 użytkownik {LAGUNA} napisał:",
    "wp-pl": f"Dnia 4 listopada 2025 17:02 {LAGUNA} napisał(a):",
    "libero-it": f'Il 04/11/2025 17:02 CET Laguna "{ADDRESS}" ha scritto:',
    "mail-ru": f"Вторник, 4 ноября 2025, 17:02 +03:00 от {LAGUNA}:",
    "yandex": f'04.11.2025, 17:02, "Laguna" <{ADDRESS}>:',
    "samsung-k9": f"Am 4. November 2025 17:02:11 MEZ schrieb {LAGUNA}:",
    "tuta": f"4. Nov. 2025, 17:02 von {ADDRESS}:",
    "spark": f"On 4 Nov 2025 at 17:02 +0100, {LAGUNA}, wrote:",
    "mutt": f"* {LAGUNA} [2025-11-04 17:02]:",
    "zoho": f"---- On Tue, 04 Nov 2025 17:02:11 +0100 {LAGUNA} wrote ---",
    "zoho-tr": f"---- 4 Kas 2025 Sal 17:02:11 +0300 {LAGUNA} yazdı ----",
    "bold": f"*Am 4. November 2025 um 17:02 schrieb {LAGUNA}:*",
}
QUOTED = ("3. quartz-1 W13", "4", "keep quartz-1")


def test_the_table_has_programs_of_many_languages() -> None:
    assert len({key.rpartition("-")[2] for key in ATTRIBUTIONS}) >= 35


@pytest.mark.parametrize("program", ATTRIBUTIONS)
@pytest.mark.parametrize("signs", ["> ", ""])
@pytest.mark.parametrize("written", ["2", "2\n\nsay hello", "away 24 Dec 2025 - 2 Jan 2026"])
def test_an_attribution_is_no_text_of_the_writer(program: str, signs: str, written: str) -> None:
    quote = "\n".join(f"{signs}{line}" for line in QUOTED)
    for gap in ("\n", "\n\n"):
        text = f"{written}{gap}{ATTRIBUTIONS[program]}\n\n{quote}\n"
        own = own_words(text, "Bela Kovacs", ["Laguna"])
        assert own.text == written
        assert "quartz-1 W13" in own.quote


@pytest.mark.parametrize("program", ATTRIBUTIONS)
@pytest.mark.parametrize("width", [60, 66, 72, 78])
def test_an_attribution_may_be_broken_anywhere(program: str, width: int) -> None:
    joined = " ".join(ATTRIBUTIONS[program].split())
    broken = fill(joined, width, break_on_hyphens=False, break_long_words=False)
    own = own_words(f"2\n\n{broken}\n\n> 3\n> 4", "Bela Kovacs", ["Laguna"])
    assert own.text == "2"


GLUED = {
    "en": f"On Tue, Nov 4, 2025 at 5:02 PM, Laguna<{ADDRESS}> wrote:   ",
    "de": f"Am Di., 4. Nov. 2025 um 17:02 schrieb Laguna<{ADDRESS}>:   ",
    "es": f"El mar., 4 de nov. de 2025 a la(s) 5:02 p. m., Laguna<{ADDRESS}> escribió:   ",
    "fr": f"Le mar., 4 nov. 2025 à 17:02, Laguna<{ADDRESS}> a écrit :   ",
    "id": f"Pada Sel, 4 Nov 2025 pada 17:02, Laguna<{ADDRESS}> menulis:   ",
}


@pytest.mark.parametrize("language", GLUED)
def test_a_quote_behind_the_colon_is_no_text_of_the_writer(language: str) -> None:
    text = f"2\n\n{GLUED[language]}##- reply above this line -##  3. quartz-1 W13\n4\nquartz-1 W15"
    own = own_words(text, "Bela Kovacs", ["Laguna"])
    assert own.text == "2"
    assert "quartz-1 W13" in own.quote


@pytest.mark.parametrize(
    "line",
    [
        "2",
        "3, else 1",
        "say: hello",
        "say at 17:02 on 4.11.2025: I was first",
        "away 24.12.2025 - 2.1.2026",
        "away: 24.12.2025 - 2.1.2026",
        "note: Ben plays at 20:15",
        "On second thought:",
        "My answer for 4 November:",
        "Laguna:",
        "quartz-1 W13:",
        "I wrote: 3",
    ],
)
def test_lines_of_people_are_no_attributions(line: str) -> None:
    assert attribution_at([line, "", "3"], 0, ["laguna"]) is None


def test_a_less_certain_line_is_an_attribution_directly_above_a_quote() -> None:
    line = "Sal 4 Kas 2025, saat 17:02:"
    assert attribution_at([line, "", "> 3"], 0) == Attribution(1)
    assert attribution_at([line, "", "3"], 0) is None


def test_text_directly_above_an_attribution_stays() -> None:
    for written in ("On 24 Dec 2025 I am away", "Am 24.12.2025 weg", "a@example.org 24.12.2025"):
        lines = [written, f"On Tue, 4 Nov 2025 at 17:02 {LAGUNA} wrote:", "> 3"]
        assert attribution_at(lines, 0, ["laguna"]) is None
        assert attribution_at(lines, 1, ["laguna"]) == Attribution(1)
