"""`laguna mail-in`: serve all ports and poll all mailboxes for incoming mail."""

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
LOOP_SECONDS = 1.0
SHUTDOWN_SECONDS = 5.0  # for the pollers of all mailboxes


def run_mail_in(
    app: Flask,
    sockets: Sequence[tuple[str, socket.socket]],
    mailboxes: Sequence[MailSource],
    stop_signal: StopSignal,
) -> None:
    """Take mails on these sockets, with the protocol of each, and from these mailboxes, until
    asked to stop."""
    logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd logs addresses
    pollers = [Poller(app, source, stop_signal) for source in mailboxes]
    threads = [
        threading.Thread(target=poller.run, name="mailbox", daemon=True) for poller in pollers
    ]
    ports = [f"{kind}:{sock.getsockname()[1]}" for kind, sock in sockets]
    with Listeners(app, sockets) if sockets else nullcontext():
        for thread in threads:
            thread.start()
        log.info("mail_in_started", ports=ports, mailboxes=[str(source) for source in mailboxes])
        _beat_until_stopped(app, pollers, stop_signal)
    until = time.monotonic() + SHUTDOWN_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    log.info("mail_in_stopped")


def _beat_until_stopped(app: Flask, pollers: Sequence[Poller], stop_signal: StopSignal) -> None:
    """Record heartbeats as long as all mailboxes can be polled."""
    beaten = -float("inf")
    while not stop_signal.asked:
        note_activity(MAIL_IN)
        if time.monotonic() - beaten >= HEARTBEAT and all(poller.healthy for poller in pollers):
            beaten = time.monotonic()
            _beat(app)
        stop_signal.wait(LOOP_SECONDS)


def _beat(app: Flask) -> None:
    try:
        with app.app_context():
            heartbeats.beat(MAIL_IN, HEARTBEAT, database_now())
    except Exception as error:
        if not is_transient(error):
            raise
        log.warning("heartbeat_failed", error=type(error).__name__)
