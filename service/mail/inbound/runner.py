"""`laguna mail-in`: all ports and mailboxes where mails come in, from start to end."""

import logging
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext

import structlog
from flask import Flask

from service.core.activity import note_activity
from service.core.config import MailSource
from service.db import heartbeats
from service.db.heartbeats import MAIL_IN
from service.db.server_clock import database_now
from service.db.session import is_transient
from service.mail.inbound.imap_poller import Poller, StopSignal
from service.mail.inbound.smtp_server import Listeners

log = structlog.get_logger()

HEARTBEAT = 20  # seconds
LOOK_EVERY = 1.0
ENDING_TAKES = 5.0  # seconds at most for those who look into mailboxes


def run_mail_in(
    app: Flask,
    sockets: Sequence[tuple[str, socket.socket]],
    mailboxes: Sequence[MailSource],
    stop_signal: StopSignal,
) -> None:
    """Take mails on these sockets, with the protocol of each, and from these mailboxes, until
    asked to stop."""
    logging.getLogger("mail.log").setLevel(logging.ERROR)  # of aiosmtpd, which tells addresses
    pollers = [Poller(app, source, stop_signal) for source in mailboxes]
    threads = [
        threading.Thread(target=poller.run, name="mailbox", daemon=True) for poller in pollers
    ]
    ports = [f"{kind}:{sock.getsockname()[1]}" for kind, sock in sockets]
    with Listeners(app, sockets) if sockets else nullcontext():
        for thread in threads:
            thread.start()
        log.info("mail_in_started", ports=ports, mailboxes=[str(source) for source in mailboxes])
        _stay(app, pollers, stop_signal)
    until = time.monotonic() + ENDING_TAKES
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    log.info("mail_in_stopped")


def _stay(app: Flask, pollers: Sequence[Poller], stop_signal: StopSignal) -> None:
    """Leave signs of life, as long as all mailboxes can be looked into."""
    beaten = -float("inf")
    while not stop_signal.asked:
        note_activity(MAIL_IN)
        if time.monotonic() - beaten >= HEARTBEAT and all(poller.well for poller in pollers):
            beaten = time.monotonic()
            _beat(app)
        stop_signal.wait(LOOK_EVERY)


def _beat(app: Flask) -> None:
    try:
        with app.app_context():
            heartbeats.beat(MAIL_IN, HEARTBEAT, database_now())
    except Exception as error:
        if not is_transient(error):
            raise
        log.warning("no_sign_of_life", error=type(error).__name__)
