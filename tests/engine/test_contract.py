"""What every registered game promises, over random games.

`make fuzz` plays many more. The seeds are new in every run; a failure names its game.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from engine.chance import seed_from_text
from engine.contract import GameType, Stop
from engine.decisions import seat_view
from engine.fuzz import Broken, check_game
from engine.languages import ENGLISH, LANGUAGES
from engine.options import all_options
from engine.play import begin
from engine.policies import simulate
from engine.registry import GAME_TYPES

GAMES_A_SETTING = 200
LONGER_GAMES_A_SETTING = 6  # of those with more moves
MANY_MOVES = 350
BATCHES = 2
THRIFT = 40  # `make fuzz` has none

SETTINGS = [
    pytest.param(game, seats, options, id=f"{game.meta.key}-{seats}-{'-'.join(options.values())}")
    for game in GAME_TYPES
    for seats in game.meta.seats
    for options in all_options(game)
]


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS)
def test_random_games_keep_every_promise(
    game: GameType, seats: int, options: dict[str, str], batch: int
) -> None:
    generator = random.Random(random.random() + batch)
    played = check_game(game, seats, options, generator.randbytes(32))
    games = LONGER_GAMES_A_SETTING if played.moves > MANY_MOVES else GAMES_A_SETTING
    for _ in range(games // BATCHES - 1):
        check_game(game, seats, options, generator.randbytes(32), THRIFT)


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS)
def test_the_same_seed_gives_the_same_game_to_the_byte(
    game: GameType, seats: int, options: dict[str, str]
) -> None:
    seed = random.randbytes(32)
    first, second = (simulate(game, seats, options, seed, "random") for _ in range(2))
    assert [game.dump(line.state) for line in first.lines] == [
        game.dump(line.state) for line in second.lines
    ]


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS)
def test_a_view_is_json_and_carries_the_decision(
    game: GameType, seats: int, options: dict[str, str]
) -> None:
    state = begin(game, seats, options, seed_from_text("view")).state
    over = simulate(game, seats, options, seed_from_text("view"), "random").lines[-1].state
    for seat in [None, *range(seats)]:
        view = seat_view(game, over, seat)
        assert json.loads(json.dumps(view)) == view
        view = seat_view(game, state, seat)
        assert json.loads(json.dumps(view)) == view
        if seat in game.pending(state):
            legal = [game.move_to_json(move) for move in game.legal_moves(state, seat)]
            assert [priced["move"] for priced in view["decision"]["moves"]] == legal
            assert all(priced["label"] for priced in view["decision"]["moves"])
            assert all(priced["path"] for priced in view["decision"]["moves"])
        else:
            assert view["decision"] is None


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_a_game_says_what_it_is(game: GameType) -> None:
    assert game.meta.key.isascii()
    assert game.meta.key == game.meta.key.lower()
    assert game.meta.title
    assert game.meta.summary
    for option in game.meta.options:
        assert option.default in option.choices
    for inks in zip(*game.meta.inks):
        assert len(set(inks)) == len(inks) == max(game.meta.seats)
        assert all(re.fullmatch("#[0-9a-f]{6}", ink) for ink in inks)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_a_guide_has_a_title_and_a_text_for_every_topic(game: GameType, language: str) -> None:
    guide = game.guide(language)
    assert [topic.key for topic in guide] == [topic.key for topic in game.guide()]
    assert len({topic.key for topic in guide}) == len(guide)
    assert len({topic.title for topic in guide}) == len(guide)
    for topic in guide:
        assert topic.title[0].isupper()
        assert topic.text[0].isupper() or topic.text[0].isdigit()
        assert topic.text.endswith(".")
        assert "%(" not in topic.text
    if language != ENGLISH:
        assert not {topic.text for topic in guide} & {topic.text for topic in game.guide()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_every_preference_is_described_in_words_that_can_be_parsed(
    game: GameType, language: str
) -> None:
    wishes = tuple(game.all_preferences())
    assert game.read_preferences(list(wishes)) == wishes
    labels = game.preference_labels(wishes, language)
    assert len(set(labels)) == len(wishes)
    assert game.read_preferences(list(labels)) == wishes


Path = Sequence[Stop]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda path: path[:1], "told apart"),
        (lambda path: (), "told apart"),
        (lambda path: [stop._replace(words="here") for stop in path], "told apart"),
        (lambda path: [*path, Stop("nowhere", "nowhere")], "nowhere is drawn and a button, or"),
    ],
)
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_paths_that_break_their_promise_are_found(
    game: GameType, change: Callable[[Path], Path], complaint: str
) -> None:
    names: Sequence[str] = game.__all__  # type: ignore[attr-defined]
    changed: Any = SimpleNamespace(**{name: getattr(game, name) for name in names})
    changed.path = lambda *asked: change(game.path(*asked))
    with pytest.raises(Broken, match=complaint):
        check_game(changed, 3, {}, seed_from_text("paths"))
