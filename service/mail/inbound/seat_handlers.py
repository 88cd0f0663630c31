"""Handlers of commands that change a seat: take it back from a bot, resign."""

from collections.abc import Sequence

from service.access.games import SeatAccess
from service.access.rows import SeatRow
from service.games.agreements import resign
from service.games.loaded_game import load_game, must_run
from service.games.takeover import come_back
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer

RESIGN = "resign"  # command that needs a confirmation


def own_row(access: SeatAccess) -> SeatRow:
    assert access.seats is not None
    return access.seats[access.seat]


def take_seat_back(writer: Writer) -> str:
    access = writer.access()
    come_back(access, writer.at)
    if own_row(access).away_since is None:
        return writer.say("Your seat is yours; no bot keeps it.")
    return writer.say("Welcome back: your seat is yours again.")


def give_up_seat(writer: Writer, confirmed: bool) -> Done:
    access = writer.access()
    loaded = load_game(access.game, access.seats)
    others = [loaded.seats[seat].name for seat in loaded.contenders if seat != access.seat]
    if confirmed and writer.asked.confirm == RESIGN:
        resign(access, writer.at)
        return Done((_resigned_words(writer, others),))
    must_run(loaded)
    if access.resigned:
        raise NotDone("resigned")
    return Done((_resign_question(writer, others),), confirm=RESIGN)


def _resigned_words(writer: Writer, others: Sequence[str]) -> str:
    if not others:
        return writer.say("You have ended the game; nobody won.")
    if len(others) == 1:
        return writer.say("You have resigned; %(name)s has won.", name=others[0])
    return writer.say("You have resigned; a bot plays your seat to the end.")


def _resign_question(writer: Writer, others: Sequence[str]) -> str:
    if not others:
        return writer.say(
            "Do you really want to end this game? Nobody would win it, and you cannot come back. "
            "If so, reply to this mail with 'resign yes'."
        )
    if len(others) == 1:
        return writer.say(
            "Do you really want to resign? %(name)s would win the game, and you cannot come back. "
            "If so, reply to this mail with 'resign yes'.",
            name=others[0],
        )
    return writer.say(
        "Do you really want to resign? A bot would play your seat to the end, and you cannot "
        "come back. If so, reply to this mail with 'resign yes'."
    )
