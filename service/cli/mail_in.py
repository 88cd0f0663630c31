"""`laguna mail-in`: receive mail from the sources of LAGUNA_MAIL_IN."""

import argparse
import os
import socket
from collections.abc import Sequence
from contextlib import ExitStack

from service.cli.errors import CommandError
from service.cli.metrics import start_metrics
from service.cli.processes import waker
from service.core import config
from service.core.config import MailSource
from service.core.stop_signal import StopSignal, end_with_stdin

MAILBOXES = ("imap", "imaps")


def mail_in(options: argparse.Namespace) -> int:
    settings = config.from_environment()
    sources = [config.mail_source(url) for url in settings.mail_in]
    if options.check:
        return _check(settings, sources)
    if not sources:
        raise CommandError(
            "No mail source is configured; set LAGUNA_MAIL_IN, for example to "
            "lmtp://127.0.0.1:2424. (A provider's hook needs only `laguna serve`.)"
        )
    stop_signal = StopSignal().listen()
    if options.until_stdin_ends:
        end_with_stdin()
    start_metrics(settings)
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
            why = os.strerror(error.errno)  # without the address that create_server adds
        raise CommandError(
            f"Cannot listen on {source.host} port {source.port} ({why}); see LAGUNA_MAIL_IN."
        ) from error


def _check(settings: config.Settings, sources: Sequence[MailSource]) -> int:
    """Test all sources of the settings; receives no mail."""
    print(f"Replies go to {settings.mail_domain}; its mail must be delivered here.")
    if settings.mail_hook_secret is not None:
        print(f"hook   {settings.public_url}/hooks/mail accepts mails signed with the secret")
    if not settings.takes_replies:
        print("! No mail source: set LAGUNA_MAIL_IN or LAGUNA_MAIL_HOOK_SECRET.")
    wrong = 0 if settings.takes_replies else 1
    for source in sources:
        try:
            found = _test(source)
        except CommandError as error:
            wrong += 1
            found = f"! {error}"
        print(f"{source.kind:<6} {source.host}:{source.port} {found}")
    return 1 if wrong else 0


def _test(source: MailSource) -> str:
    if source.kind not in MAILBOXES:
        return _test_port(source)
    from service.mail.inbound.imap_poller import FAILURES, TO_READ, connected
    from service.ops.status import counted

    try:
        with connected(source) as mailbox:
            waiting = len(mailbox.uids(TO_READ, charset=None))
            return f"{source.folder} has {counted(waiting, 'mail')} to read"
    except FAILURES as error:  # its text may contain the password
        raise CommandError(f"The mailbox cannot be opened: {type(error).__name__}.") from error


def _test_port(source: MailSource) -> str:
    """Whether the port is free, or used by `laguna mail-in`."""
    from service.mail.inbound.smtp_server import is_ours

    try:
        _listening(source).close()
    except CommandError:
        if is_ours(source):
            return "is in use by `laguna mail-in`"
        raise
    return "is free; `laguna mail-in` is not running"
