"""Lines of a signature without a delimiter, which nobody writes as an answer: telephone numbers,
addresses of mail and web, and registry entries of companies."""

import re

from service.mail.inbound.line_shapes import ADDRESS
from service.mail.inbound.plain_text import folded

LONGEST = 160
FEWEST_FIELDS = 3  # of a line such as "Anna Berg | Sales | Room 3"
MOST_OTHER_WORDS = 3
_PHONE = re.compile(r"(?:\+|\b00)[1-9][\d ()/.\-]{6,24}\d")
_LABELLED_PHONE = re.compile(
    r"\b(?:tel|telefon|telephone|telefono|phone|fon|fone|mobile?|mobil|movil|cell|cel|celular|fax"
    r"|handy"
    r"|telefax|office|direct|buero|durchwahl|whatsapp|puh|tlf|gsm"
    r"|[tpmf])\b[.: ]{1,3}[+(]?\d[\d ()/.\-]{5,24}"
)
_ONLY_PHONE = re.compile(r"[+(]?\d[\d ()/.\-]{7,24}\d")
_FIELDS = re.compile(r"\s[|\u2022\u00b7]\s")
_WEB = re.compile(r"<?(?:https?://|www\.)\S{3,300}")
_COMPANY = re.compile(
    r"\b(?:hr ?[ab] ?\d{3,}|amtsgericht|handelsregister|geschaeftsfuehr|ust-?id|vat (?:no|id"
    r"|number)"
    r"|registered (?:office|in england)|company (?:no|number|registration)|cif:? ?[a-z]-?\d"
    r"|nif:? ?\d"
    r"|sitz der gesellschaft|registro mercantil|siret|partita iva)"
)


def is_contact_line(line: str) -> bool:
    if not line or len(line) > LONGEST:
        return False
    spoken = folded(line)
    if _PHONE.search(spoken) or _LABELLED_PHONE.search(spoken) or _COMPANY.search(spoken):
        return True
    if _ONLY_PHONE.fullmatch(spoken) and sum(map(str.isdigit, spoken)) >= 7:
        return True
    if len(_FIELDS.split(line)) >= FEWEST_FIELDS:
        return True
    rest = ADDRESS.sub(" ", _WEB.sub(" ", spoken))
    if rest == spoken:
        return False
    return len([word for word in rest.split() if word.isalpha()]) <= MOST_OTHER_WORDS
