"""`laguna token` and `laguna sign-in-link`: API tokens and sign-in links."""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta

from service.access.accounts import person_with
from service.access.impersonation import caller_for, token_with
from service.access.scopes import SCOPES
from service.accounts.profile import make_person, make_token, revoke
from service.accounts.sign_in import SIGN_IN_FOR, prepare_sign_in
from service.cli.command_app import opened_app
from service.cli.errors import CommandError
from service.core.clock import now
from service.core.email_address import is_acceptable
from service.db.models import Credential, Person
from service.db.session import transact
from service.games.queries import tokens_of

NAME_LENGTH = 40


def create_token(options: argparse.Namespace) -> int:
    scopes = _scopes(options.scopes)
    email = _address(options.email)
    if not 0 < len(options.name) <= 80:
        raise CommandError("A token's name has 1 to 80 characters.")

    def work() -> str:
        at = now()
        person = person_with(email)
        if person is None and options.create:
            person = make_person(email, email.partition("@")[0][:NAME_LENGTH], at)
        ends = None if options.days is None else at + timedelta(days=options.days)
        return make_token(_known(person, email), options.name, scopes, at, ends).secret

    with opened_app():
        print(transact(work))
    return 0


def _scopes(text: str) -> Sequence[str]:
    if text == "all":
        return tuple(SCOPES)
    wanted = [scope.strip() for scope in text.split(",") if scope.strip()]
    unknown = [scope for scope in wanted if scope not in SCOPES]
    if unknown or not wanted:
        reason = f"There is no scope {unknown[0][:40]!r}" if unknown else "A token needs a scope"
        listed = "\n".join(f"  {scope:<16}{meaning}" for scope, meaning in SCOPES.items())
        raise CommandError(f"{reason}; the scopes are:\n{listed}")
    return wanted


def _address(email: str) -> str:
    if not is_acceptable(email, local_ones=True):
        raise CommandError(f"{email[:80]!r} is not a mail address.")
    return email


def _known(person: Person | None, email: str) -> Person:
    if person is None:
        raise CommandError(f"No account has the address {email}; --create creates one.")
    return person


def list_tokens(options: argparse.Namespace) -> int:
    with opened_app():
        person = person_with(options.email)
        if person is None:
            raise CommandError(f"No account has the address {options.email}.")
        at = now()
        for token in tokens_of(caller_for(person)):
            print(_line(token, at))
    return 0


def _line(token: Credential, at: datetime) -> str:
    state = "valid until revoked"
    if token.revoked_at is not None:
        state = f"revoked {token.revoked_at:%Y-%m-%d}"
    elif token.expires_at is not None:
        verb = "expired" if token.expires_at <= at else "valid until"
        state = f"{verb} {token.expires_at:%Y-%m-%d %H:%M} UTC"
    used = "never used" if token.last_used_at is None else f"used {token.last_used_at:%Y-%m-%d}"
    return f"{token.id}  {token.prefix}..  {token.name}  ({token.scopes}; {state}; {used})"


def revoke_token(options: argparse.Namespace) -> int:
    with opened_app():
        transact(lambda: revoke(token_with(options.id), now()))
    print("revoked")
    return 0


def print_sign_in_link(options: argparse.Namespace) -> int:
    email = _address(options.email)
    with opened_app():
        if person_with(email) is None:
            print(f"{email} has no account; the link creates it.", file=sys.stderr)
        print(transact(lambda: prepare_sign_in(email, now()).link))
    print(f"Valid once, for {SIGN_IN_FOR.total_seconds() / 60:.0f} minutes.", file=sys.stderr)
    return 0
