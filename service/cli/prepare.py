"""`laguna prepare`: tables and demo, before `laguna up` starts its processes.

A separate command, so that the supervisor, which runs as long as the service, stays small.
"""

import argparse

from service.accounts.sign_in import SIGN_IN_FOR
from service.cli.command_app import app_with
from service.cli.database import bring_up_to_date, preparation_lock
from service.cli.output import print_json
from service.core import config
from service.core.clock import now
from service.db.session import transact
from service.ops.demo import NEWCOMER, prepare_demo


def prepare(options: argparse.Namespace) -> int:
    """Create or update the tables; with `--demo` print link and token as JSON."""
    settings = config.from_environment()
    with app_with(settings):
        bring_up_to_date(settings.data)
        if not options.demo:
            return 0
        with preparation_lock(settings.data):
            demo = transact(lambda: prepare_demo(now()))
    minutes = round(SIGN_IN_FOR.total_seconds() / 60)
    shown = {"link": demo.link, "token": demo.token, "email": NEWCOMER, "link_minutes": minutes}
    print_json(shown)
    return 0
