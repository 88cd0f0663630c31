"""Replies to letters: read strictly, played like any answer, asked back when in doubt."""

from typing import Any

import pytest

from engine.chance import SEED_BYTES
from engine.contract import AnyGame
from engine.door import begin
from engine.offers import seat_view
from engine.registry import GAMES
from service.access import Key, access_turn
from service.choices import best_first
from service.database import transact
from service.keys import digest
from service.models import Letter
from service.play import MOST_MOVES_AT_ONCE
from service.problems import Refused
from service.replies import Done, can_be_answered, read_moves, reply
from service.scopes import GAMES_PLAY
from tests.service.support.house import Caller, House
from tests.service.support.post import arrived, mail_arrives, work
from tests.service.test_notices import is_asked, miss, pair


def choices_of(game: AnyGame) -> list[str]:
    """What the first seat that is asked could choose, as a letter numbers it."""
    state = begin(game, min(game.meta.seats), {}, bytes(SEED_BYTES)).state
    seat = game.pending(state)[0]
    decision = seat_view(game, state, seat)["decision"]
    return [move["text"] for move in best_first(decision, seat)]


def replies(house: House, caller: Caller, letter: Letter, text: str) -> Done:
    assert letter.game_id is not None
    assert caller.token is not None
    key, game_id = Key(digest(caller.token)), letter.game_id
    with house.app.app_context():
        return transact(
            lambda: reply(access_turn(key, GAMES_PLAY, game_id), letter, text, house.clock())
        )


def turn_of(house: House, **kwargs: Any) -> tuple[Caller, str, Letter]:
    """Somebody who was mailed a turn."""
    anna, _, game_id = pair(house, **kwargs)
    mail_arrives(house)
    return anna, game_id, arrived(house, anna, "turn")[-1]


# Reading


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.meta.key))
@pytest.mark.parametrize("form", ["{}", " {} ", "{}.", "{})", "#{}", "\n\n{}\n\n"])
def test_a_number_means_the_choice_of_the_list(game: AnyGame, form: str) -> None:
    choices = choices_of(game)
    for number, text in enumerate(choices, start=1):
        [move] = read_moves(game, choices, form.format(number))
        assert game.format(move) == text


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.meta.key))
def test_moves_in_their_notation_are_read_line_by_line(game: AnyGame) -> None:
    choices = choices_of(game)
    moves = read_moves(game, choices, f"1\n{choices[1]}\n\n{choices[0]}\n")
    assert [game.format(move) for move in moves] == [choices[0], choices[1], choices[0]]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.meta.key))
@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n \n",
        "0",
        "9999",
        "-1",
        "1.5",
        "1 2",
        "1\n2",
        "1,2",
        "1 please",
        "one",
        "I take the first",
        "yes",
        "> 1",
        "1\n\nBest wishes, Anna",
        "1\n--\nsent from my boat",
        "\u0661",
        "x" * 5000,
        "\n".join(["1"] * (MOST_MOVES_AT_ONCE + 1)),
    ],
)
def test_whatever_else_it_says_is_not_guessed(game: AnyGame, text: str) -> None:
    with pytest.raises(Refused) as refused:
        read_moves(game, choices_of(game), text)
    assert refused.value.code == "unreadable_move"
    assert refused.value.detail.endswith("Nothing was played.")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.meta.key))
def test_a_part_of_a_move_is_no_move(game: AnyGame) -> None:
    """Where the API takes what can only mean one thing, a mail must say all of it."""
    choices = choices_of(game)
    for text in choices:
        words = text.split()
        if len(words) > 1:
            with pytest.raises(Refused):
                read_moves(game, choices, words[-1])


# Playing


def test_a_number_plays_the_choice_that_the_letter_showed(any_house: House) -> None:
    anna, game_id, letter = turn_of(any_house)
    chosen = letter.facts["choices"][1]
    done = replies(any_house, anna, letter, "2")
    assert done == Done([chosen])
    log = anna.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    [mine] = [line for line in log["items"] if line["seat"] == 0]
    assert (mine["text"], mine["via"]) == (chosen, "player")


def test_a_refused_reply_changes_nothing(house: House) -> None:
    anna, game_id, letter = turn_of(house)
    before = anna.sees(game_id)
    for text in ("99", "perhaps the second", "1\n2"):
        with pytest.raises(Refused):
            replies(house, anna, letter, text)
    assert anna.sees(game_id) == before


def test_a_reply_to_an_old_letter_never_plays_the_next_decision(house: House) -> None:
    anna, game_id, letter = turn_of(house)
    ben = house.person("Ben")
    anna.plays(game_id)
    ben.plays(game_id)
    while not is_asked(anna, game_id):
        ben.plays(game_id)
    before = anna.sees(game_id)
    with pytest.raises(Refused) as refused:
        replies(house, anna, letter, "1")
    assert refused.value.code == "decision_closed"
    assert anna.sees(game_id) == before


def test_a_pick_that_is_still_secret_can_be_changed_by_another_reply(house: House) -> None:
    anna, game_id, letter = turn_of(house)
    replies(house, anna, letter, "1")
    assert replies(house, anna, letter, "2").played == [letter.facts["choices"][1]]
    log = anna.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    assert [line["text"] for line in log["items"]] == [letter.facts["choices"][1]]


def test_what_cannot_be_played_after_the_first_move_is_told(house: House) -> None:
    anna, _, letter = turn_of(house)
    done = replies(house, anna, letter, f"1\n{letter.facts['choices'][0]}")
    assert done.played == [letter.facts["choices"][0]]
    assert done.stopped is not None


def test_somebody_else_cannot_answer_a_letter_of_another_seat(house: House) -> None:
    _, _, letter = turn_of(house)
    ben = house.person("Ben")
    with pytest.raises(Refused) as refused:
        replies(house, ben, letter, "1")
    assert refused.value.code == "not_your_decision"


def test_one_word_takes_the_seat_back(house: House) -> None:
    anna, ben, game_id = pair(house)
    for _ in range(3):
        while not is_asked(anna, game_id):
            ben.plays(game_id)
        miss(house, game_id, anna)
        work(house)
    [letter] = arrived(house, anna, "away")
    assert can_be_answered(letter)
    assert anna.sees(game_id)["seats"][0]["played_by_bot"]
    for text in ("", "1", "I am back", "back please"):
        with pytest.raises(Refused):
            replies(house, anna, letter, text)
    assert anna.sees(game_id)["seats"][0]["played_by_bot"]
    replies(house, anna, letter, " Back\n")
    assert not anna.sees(game_id)["seats"][0]["played_by_bot"]


def test_a_letter_that_asks_nothing_cannot_be_answered(house: House) -> None:
    anna, ben, game_id = pair(house)
    house.play_to_the_end(game_id, anna, ben)
    work(house)
    [letter] = arrived(house, anna, "finished")
    assert not can_be_answered(letter)
    with pytest.raises(Refused, match="asks nothing"):
        replies(house, anna, letter, "1")
