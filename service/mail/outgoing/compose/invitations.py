"""Composition of the letter that invites an address to a table. Its reader may have no account."""

from datetime import datetime

from engine.registry import game_type_by_key
from service.access.accounts import person_with
from service.core.current_settings import settings
from service.core.web_addresses import has_web_address
from service.db.session import AnyRow
from service.games.invitations import invitation_to_mail
from service.mail.outgoing.compose.context import Composed, NotNeeded
from service.mail.outgoing.mime import refusal_link
from service.mail.outgoing.templates import addressee, render_until
from service.notify.invitation_refusals import why_unwanted
from service.notify.rules import INVITATION


def invitation(letter: AnyRow, at: datetime) -> Composed:
    """The invitation as things stand now; raises NotNeeded.

    A name or title with a web address in it is left out: the mail goes to people who may never
    have heard of the service, and must not carry the advertisement of a stranger.
    """
    found = invitation_to_mail(letter.facts[INVITATION], at)
    if found is None:
        raise NotNeeded("gone")
    if found.obsolete is not None:
        raise NotNeeded(found.obsolete)
    person = person_with(letter.to)
    if person is not None and person.unreachable_since is not None:
        raise NotNeeded("unreachable")
    if (reason := why_unwanted(letter.to, person)) is not None:
        raise NotNeeded(reason)
    reader = addressee(letter.to, found.language)
    if "link" not in letter.facts:  # release 0.1.0 wrote the text when the invitation was made
        return Composed(letter.subject, letter.text, letter.html, reader.language)
    subject, text = render_until(
        INVITATION,
        reader,
        found.expires_at,
        {
            "host": "" if has_web_address(found.host) else found.host,
            "game": game_type_by_key(found.game, found.rules).meta.title,
            "seats": found.seats,
            "title": "" if has_web_address(found.title) else found.title,
            "link": letter.facts["link"],
            "refuse": refusal_link(letter.id, settings(), letter.created_at),
        },
    )
    return Composed(subject, *text, reader.language)
