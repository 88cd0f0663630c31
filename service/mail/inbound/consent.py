"""Consent in a reply: "yes please", "Ja gerne!", "sí, encantado", or "nein danke"."""

import re

from service.mail.inbound.account_vocabulary import CONSENT_FILLERS, NO, YES
from service.mail.inbound.plain_text import folded
from service.mail.inbound.politeness_words import CLOSINGS, GREETINGS, THANKS

LONGEST = 200
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_NAME = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*)?")
_KNOWN = YES | NO | CONSENT_FILLERS


def consents(text: str) -> bool | None:
    """Whether a text says yes or no; None if it says neither, both, or anything else."""
    spoken = "\n".join(_without_politeness(text))
    if len(spoken) > LONGEST or "?" in spoken:
        return None
    words = _WORD.findall(folded(spoken))
    if not all(word in _KNOWN for word in words):
        return None
    says_yes, says_no = (any(word in said for word in words) for said in (YES, NO))
    if says_yes and says_no:
        return False if _declines_politely(words) else None
    return None if not says_yes and not says_no else says_yes


def _declines_politely(words: list[str]) -> bool:
    """Whether words of consent only soften a refusal: "gerne, aber leider nicht"."""
    first_no = min(place for place, word in enumerate(words) if word in NO)
    return words[0] in NO - {"not", "nicht"} or "aber" in words[:first_no]


def _without_politeness(text: str) -> list[str]:
    """The lines without greetings and thanks up to a closing, and without a name at the end."""
    kept: list[str] = []
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        spoken = folded(line).strip(" ,.!")
        if kept and spoken in CLOSINGS:
            break
        if spoken not in GREETINGS and spoken not in THANKS:
            kept.append(line)
    signed = len(kept) > 1 and _NAME.fullmatch(kept[-1]) is not None
    said = _WORD.findall(folded(kept[-1])) if kept else []
    return kept[:-1] if signed and not any(word in _KNOWN for word in said) else kept
