"""The month itself: from one thing that can happen to the next, until nothing can any more."""

from collections.abc import Sequence
from datetime import datetime
from random import Random

from tests.support.site import Site
from tests.worker.month.agenda import Agenda, Peek, after_outages
from tests.worker.month.answering import Answering
from tests.worker.month.cast import Cast
from tests.worker.month.duties import Duties
from tests.worker.month.hosting import Hosting
from tests.worker.month.reckoning import DAY, Span

LONGEST = 1200 * DAY  # then something is wrong
LOOK_EVERY = 97  # instants


class Simulation:
    """People and the worker in turns. While the worker is out, people go on, and bots do not."""

    def __init__(self, site: Site, rng: Random, begin: datetime, outages: Sequence[Span]) -> None:
        self.agenda, self.peek, self.outages = Agenda(site, begin), Peek(site), outages
        self.cast = Cast(self.agenda, self.peek, rng)
        self.hosting = Hosting(self.cast)
        self.answering = Answering(self.cast, self.hosting)
        self.duties = Duties(self.agenda, self.peek)
        self.steps = 0
        for outage in outages:
            self.agenda.later(outage.end, lambda: None)

    def run(self) -> None:
        """Until nothing more can happen."""
        while (at := self._next()) is not None:
            assert at - self.agenda.begin < LONGEST, "some games never end"
            self.steps += 1
            self.agenda.go_to(at)
            out = after_outages(self.outages, at) > at
            if out or self.duties.do():
                self.answering.read_logs()
            if not out and (self.agenda.suspicious or self.steps % LOOK_EVERY == 0):
                self.duties.find_nothing()
                self.agenda.suspicious = False

    def _next(self) -> datetime | None:
        planned = self.agenda.next()
        instants = [after_outages(self.outages, at) for at in self.peek.work().instants()]
        return min([*instants, *([] if planned is None else [planned])], default=None)
