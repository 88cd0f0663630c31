"""The worker's part: the functions that its jobs call, when there is something to do for them."""

from functools import partial

from service.db.session import transact
from service.games import deadlines
from service.mail.outgoing import sender
from service.notify import letter_planner as planner
from service.notify import reminders
from tests.support.autoplay import answer_automatically
from tests.worker.month.agenda import Agenda, Peek
from tests.worker.month.reckoning import GRACE

MANY = 100
_SENT = """
SELECT letter.sent_at, letter.decision, decision.closed_at
FROM letter LEFT JOIN decision
  ON decision.game_id = letter.game_id AND decision.id = letter.decision
WHERE letter.id = ?
"""


class Duties:
    def __init__(self, agenda: Agenda, peek: Peek) -> None:
        self.agenda, self.peek = agenda, peek

    def do(self) -> bool:
        """What there is to do at this instant; whether anybody was told anything."""
        settled = self.agenda.did["settled"]
        while self._play() or self._tell() or self._send():
            pass
        work = self.peek.work()
        assert not any(at <= self.agenda.now for at in work.instants()), f"left undone: {work}"
        assert not work.bots
        assert not work.unsettled
        return self.agenda.did["settled"] > settled

    def find_nothing(self) -> None:
        """Assert that no job finds work, and that no time-out is played within the grace period."""
        at = self.agenda.now
        for game_id, decision in self.peek.in_grace(at):
            assert transact(partial(answer_automatically, game_id, decision, at)) is None
            self.agenda.did["waited a little longer"] += 1
        assert deadlines.overdue(at, MANY) == []
        assert deadlines.waiting_for_bots(MANY) == []
        done = (
            deadlines.resume_paused(at),
            reminders.remind(at, MANY),
            planner.plan_letters(at, MANY),
            sender.send_letters(),
        )
        assert done == (0, 0, 0, 0)

    def _did(self, what: str, much: int) -> bool:
        self.agenda.did[what] += much
        return bool(much)

    def _play(self) -> bool:
        work, at = self.peek.work(), self.agenda.now
        busy = False
        if work.pause_over is not None and work.pause_over <= at:
            busy |= self._did("pauses that expired", deadlines.resume_paused(at))
        if work.due is not None and work.due + GRACE <= at:
            busy |= self._did("answered for the absent", self._answer(deadlines.overdue(at, MANY)))
        if work.bots:
            busy |= self._did("answered by bots", self._answer(deadlines.waiting_for_bots(MANY)))
        return busy

    def _answer(self, waiting: list[deadlines.Waiting]) -> int:
        return sum(
            transact(partial(answer_automatically, one.game_id, one.decision, self.agenda.now))
            is not None
            for one in waiting
        )

    def _tell(self) -> bool:
        work, at = self.peek.work(), self.agenda.now
        busy = False
        if work.unsettled:
            busy |= self._did("settled", planner.plan_letters(at, MANY))
        elif work.reminder is not None and work.reminder <= at:
            busy |= self._did("reminded", reminders.remind(at, MANY))
        return busy

    def _send(self) -> bool:
        """Send letters; none of them is about something that is over by now."""
        due = self.peek.letters_due(self.agenda.now)
        if not due:
            return False
        self._did("letters sent", sender.send_letters())
        for letter in due:
            ((sent, decision, closed),) = self.peek.rows(_SENT, letter)
            assert sent is None or closed is None, f"{letter} about {decision}, closed {closed}"
        return self.peek.letters_due(self.agenda.now) != due
