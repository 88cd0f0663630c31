"""What happened is told in few sentences, and to its reader in the second person."""

import pytest

from engine import millefiori, murano
from engine.chance import seed_from_text
from engine.contract import Event, GameType
from engine.languages import LANGUAGES
from engine.narration import narrate
from engine.policies import simulate
from engine.registry import GAME_TYPES
from tests.engine import third_game

NAMES = ["Anna", "Ben", "Carla", "Dario"]
PLAY: list[Event] = [
    {"type": "place", "seat": 1, "card": "ash-4", "to": "W8"},
    {"type": "points", "seat": 1, "points": 6, "for": "workshops"},
    {"type": "extra-card", "seat": 1},
]


@pytest.mark.parametrize(
    ("language", "you", "told"),
    [
        (
            "en",
            None,
            "Ben plays ash-4 to W8, scores 6 points in the workshops and earns an extra card.",
        ),
        ("en", 1, "You play ash-4 to W8, score 6 points in the workshops and earn an extra card."),
        (
            "de",
            1,
            (
                "Du spielst Asche-4 auf W8, erhältst 6 Punkte in den Werkstätten und erhältst "
                "eine Zusatzkarte."
            ),
        ),
        (
            "es",
            1,
            (
                "Juegas ceniza-4 en W8, obtienes 6 puntos en los talleres y obtienes una carta "
                "adicional."
            ),
        ),
    ],
)
def test_the_events_of_a_move_are_one_sentence(language: str, you: int | None, told: str) -> None:
    assert narrate(millefiori, PLAY, NAMES, language, you) == told


def test_another_player_and_an_explanation_begin_a_sentence() -> None:
    events: list[Event] = [
        {"type": "points", "seat": 1, "points": 20, "for": "bonus", "area": "trade"},
        {"type": "extra-card", "seat": 1},
        {"type": "points", "seat": 0, "points": 2, "for": "trade"},
        {"type": "pass", "turn": 2},
    ]
    assert narrate(millefiori, events, NAMES, "en", 0) == (
        "Ben takes the trade bonus: 20 points. Ben earns an extra card. You score 2 points from "
        "trade. The hands are passed to the left; turn 2 begins."
    )


def test_what_others_see_of_a_secret_is_not_told_beside_it() -> None:
    events: list[Event] = [
        {"type": "keep", "seat": 0, "card": "ash-4", "seen_by": [0]},
        {"type": "chosen", "seat": 0},
    ]
    assert narrate(millefiori, events, NAMES, "en", 0) == "You keep ash-4."


@pytest.mark.parametrize("game", [*GAME_TYPES, third_game], ids=lambda game: game.meta.key)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_reads_about_themselves_in_the_third_person(game: GameType, language: str) -> None:
    for line in simulate(game, 3, {}, seed_from_text("you"), "random").lines:
        for event in line.events:
            said = game.sentence(event, NAMES, language, 1)
            assert said.endswith(".")
            assert "%" not in said
            shared = event["type"] == "end" and len(event["winners"]) > 1
            assert NAMES[1] not in said or shared
            others = {event[key] for key in ("seat", "start") if key in event} - {1}
            assert all(NAMES[other] in said for other in others)


@pytest.mark.parametrize("game", [*GAME_TYPES, third_game], ids=lambda game: game.meta.key)
def test_the_summary_of_a_seat_ends_with_what_only_it_knows(game: GameType) -> None:
    told: set[str] = set()
    for line in simulate(game, 3, {}, seed_from_text("own"), "random").lines[::5]:
        public = game.board_summary(game.view(line.state, None), NAMES[:3])
        own = game.board_summary(game.view(line.state, 1), NAMES[:3])
        assert own.startswith(public)
        told.add(own.removeprefix(public).strip())
    assert (told != {""}) == (game is not third_game)


def test_a_winner_is_told_so() -> None:
    over: Event = {"type": "end", "reason": "tiles", "winners": [0]}
    assert murano.sentence(over, NAMES, "de", 0) == (
        "Das Spiel ist aus: zwei Stapel von Plättchen sind aufgebraucht. Du gewinnst."
    )
    assert "Anna gewinnt." in murano.sentence(over, NAMES, "de", 1)
