"""`laguna mail-in`: take in the mails that people send us."""

import argparse
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack

from service.cli.errors import CommandError
from service.cli.metrics import start_metrics
from service.cli.processes import waker
from service.cli.stop_signal import StopSignal, end_with_stdin
from service.core import config
from service.core.config import MailSource

MAILBOXES = ("imap", "imaps")


def mail_in(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    sources = [config.mail_source(url) for url in settings.mail_in]
    if options.check:
        return _check(settings, sources)
    if not sources:
        raise CommandError(
            "There is nowhere to take mails from; set LAGUNA_MAIL_IN, for example to "
            "lmtp://127.0.0.1:2424. (A provider's hook needs only `laguna serve`.)"
        )
    stop_signal = StopSignal().listen()
    if options.until_stdin_ends:
        end_with_stdin()
    start_metrics(settings)  # before anything is imported that counts
    with ExitStack() as opened:
        sockets = [
            (source.kind, opened.enter_context(_listening(source)))
            for source in sources
            if source.kind not in MAILBOXES
        ]

        from service.cli.command_app import opened_app
        from service.core.worker_signal import set_waker
        from service.mail.inbound.runner import run_mail_in

        app = opened.enter_context(opened_app())
        wakes = waker(settings)
        if wakes is not None:
            set_waker(app, wakes)
        mailboxes = [source for source in sources if source.kind in MAILBOXES]
        run_mail_in(app, sockets, mailboxes, stop_signal)
    return 0


def _listening(source: MailSource) -> socket.socket:
    from service.mail.inbound.smtp_server import listening_socket

    try:
        return listening_socket(source)
    except OSError as error:
        why = error.strerror or type(error).__name__
        if error.errno is not None and not isinstance(error, socket.gaierror):
            why = os.strerror(error.errno)  # without the address, which create_server adds
        raise CommandError(
            f"We cannot listen on {source.host} port {source.port} ({why}); see LAGUNA_MAIL_IN."
        ) from error


def _check(settings: config.Settings, sources: Sequence[MailSource]) -> int:
    """Try everything that the settings name, and take nothing."""
    print(f"Replies go to addresses in {settings.mail_domain}; its mail must come to us.")
    if settings.mail_hook_secret is not None:
        print(f"hook   {settings.public_url}/hooks/mail takes what is signed with the secret")
    if not settings.takes_replies:
        print("! Mails come from nowhere: set LAGUNA_MAIL_IN or LAGUNA_MAIL_HOOK_SECRET.")
    wrong = 0 if settings.takes_replies else 1
    for source in sources:
        try:
            found = _tried(source)
        except CommandError as error:
            wrong += 1
            found = f"! {error}"
        print(f"{source.kind:<6} {source.host}:{source.port} {found}")
    return 1 if wrong else 0


def _tried(source: MailSource) -> str:
    if source.kind not in MAILBOXES:
        return _tried_port(source)
    from service.mail.inbound.imap_poller import FAILURES, TO_READ, connected
    from service.ops.status import counted

    try:
        with connected(source) as mailbox:
            waiting = len(mailbox.uids(TO_READ, charset=None))
            return f"{source.folder} has {counted(waiting, 'mail')} to read"
    except FAILURES as error:  # what it says may have the password in it
        raise CommandError(f"The mailbox cannot be opened: {type(error).__name__}.") from error


def _tried_port(source: MailSource) -> str:
    """Whether we can listen there, or do so already: in this or in another process."""
    from service.mail.inbound.smtp_server import is_ours

    try:
        _listening(source).close()
    except CommandError:
        if is_ours(source):
            return "is listened on by `laguna mail-in`"
        raise
    return "can be listened on; nobody does now"
