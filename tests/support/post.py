"""Mail of a test site: the work of the mail jobs, and the letters that people receive."""

from datetime import timedelta
from typing import Any

from sqlalchemy import select

from service.access.accounts import person_with
from service.accounts.deletion import delete_account
from service.db.models import Decision, Letter, LetterState
from service.db.session import db, transact
from service.mail.outgoing.sender import send_letters
from service.notify.letter_planner import plan_letters
from service.notify.reminders import remind
from tests.support.autoplay import answer_automatically
from tests.support.site import Caller, Site

MOST = 50
FLAT = {"kind": "flat", "hours": 100}
DELAY = timedelta(seconds=60)


def pair(site: Site, **kwargs: Any) -> tuple[Caller, Caller, str]:
    """Two people and their game."""
    anna, ben = site.people("Anna", "Ben")
    return anna, ben, site.game_of(anna, ben, clock=FLAT, **kwargs)


def is_asked(player: Caller, game_id: str) -> bool:
    """Whether this player has an open decision that is not yet answered."""
    decision = player.sees(game_id)["decision"]
    return decision is not None and not decision["revising"]


def work(site: Site) -> None:
    """Run the jobs for reminders, planning and sending."""
    with site.app.app_context():
        while remind(site.clock(), MOST):
            pass
        while plan_letters(site.clock(), MOST):
            pass
        send_letters()


def after(site: Site, **time: float) -> None:
    """Advance the clock, then run the mail jobs."""
    site.clock.advance(**time)
    work(site)


def mail_arrives(site: Site) -> None:
    """Plan letters for recent events and advance the clock by the mail delay."""
    work(site)
    after(site, seconds=DELAY.total_seconds())


def wants(caller: Caller, **mail: Any) -> None:
    """Choose which mails to get."""
    changed = caller.patch("/v1/me", {"mail": mail}, headers={"If-Match": "*"})
    assert changed.status_code == 200, changed.json


def address(caller: Caller) -> str:
    return f"{caller.name.lower()}@example.org"


def arrived(site: Site, caller: Caller, *kinds: str) -> list[Letter]:
    """The sent letters, of these kinds or all, oldest first."""
    found = [letter for letter in site.letters(address(caller)) if letter.state == "sent"]
    found.sort(key=lambda letter: (letter.sent_at, letter.id))
    return [letter for letter in found if not kinds or letter.kind in kinds]


def skipped(site: Site, caller: Caller) -> list[tuple[str, str | None]]:
    """The kinds of letters that were not sent, with the reasons."""
    letters = site.letters(address(caller))
    return [(one.kind, one.reason) for one in letters if one.state == LetterState.skipped]


def decision_of(site: Site, game_id: str, caller: Caller) -> Decision:
    """The row of the open decision of a player."""
    person = caller.id()
    with site.app.app_context():
        return db.session.scalars(
            select(Decision).where(
                Decision.game_id == game_id,
                Decision.person_id == person,
                Decision.closed_at.is_(None),
            )
        ).one()


def miss(site: Site, game_id: str, caller: Caller) -> None:
    """Let somebody's time run out."""
    decision = decision_of(site, game_id, caller)
    assert decision.due_at is not None
    site.clock.at = decision.due_at + timedelta(minutes=2)
    with site.app.app_context():
        transact(lambda: answer_automatically(game_id, decision.id, site.clock()))


def leaves(site: Site, caller: Caller) -> None:
    """Somebody deletes their account."""

    def leave() -> None:
        person = person_with(address(caller))
        assert person is not None
        delete_account(person, site.clock())

    with site.app.app_context():
        transact(leave)
