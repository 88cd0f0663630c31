"""Houses with limits of their own."""

from pathlib import Path

from service.core.config import Limits
from service.db.session import db
from tests.support.site import Site, settings_for


class LimitedSites:
    """Opens a house with given limits, and closes it at the end."""

    def __init__(self, data: Path, url: str) -> None:
        self.data, self.url = data, url
        self.houses: list[Site] = []

    def __call__(self, limits: Limits) -> Site:
        self.houses.append(Site(settings_for(self.data, self.url, limits=limits)))
        return self.houses[-1]

    def close(self) -> None:
        for site in self.houses:
            with site.app.app_context():
                db.session.remove()
                db.engine.dispose()
