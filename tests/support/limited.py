"""Test sites with given limits."""

from pathlib import Path

from service.core.config import Limits
from service.db.session import db
from tests.support.site import Site, settings_for


class LimitedSites:
    """Factory of sites with given limits, which it closes at the end."""

    def __init__(self, data: Path, url: str) -> None:
        self.data, self.url = data, url
        self.sites: list[Site] = []

    def __call__(self, limits: Limits) -> Site:
        self.sites.append(Site(settings_for(self.data, self.url, limits=limits)))
        return self.sites[-1]

    def close(self) -> None:
        for site in self.sites:
            with site.app.app_context():
                db.session.remove()
                db.engine.dispose()
