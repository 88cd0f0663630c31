"""Composition of the letter that invites an address to a table. Its reader may have no account."""

from datetime import datetime

from engine.registry import game_type_by_key
from service.access.accounts import person_with
from service.core.current_settings import settings
from service.core.web_addresses import has_web_address
from service.games.invitations import invitation_to_mail
from service.mail.outgoing.compose.context import Composed, NotNeeded
from service.mail.outgoing.mime import refusal_link
from service.mail.outgoing.queue import AnyLetter
from service.mail.outgoing.templates import addressee, render_until
from service.notify.invitation_refusals import why_unwanted
from service.notify.notification_rules import INVITATION


def invitation(letter: AnyLetter, at: datetime) -> Composed:
    """The invitation in its current state; raises NotNeeded.

    A name or title with a web address in it is left out: the recipient may not know the service,
    and the mail must not carry the advertisement of a stranger.
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
    game, inviter = found.game, found.inviter
    reader = addressee(letter.to, inviter.language)
    if "link" not in letter.facts:  # release 0.1.0 wrote the text when the invitation was made
        return Composed(letter.subject or "", letter.text or "", letter.html or "", reader.language)
    subject, text = render_until(
        INVITATION,
        reader,
        found.invitation.expires_at,
        {
            "host": "" if has_web_address(inviter.name) else inviter.name,
            "game": game_type_by_key(game.game, game.rules).meta.title,
            "seats": game.seats,
            "title": "" if has_web_address(game.title) else game.title,
            "link": letter.facts["link"],
            "replies": settings().takes_replies,
            "refuse": refusal_link(letter.id, settings(), letter.created_at),
        },
    )
    return Composed(subject, *text, reader.language)
