"""What is said of events, questions, moves, characters and cards."""

from functools import cache
from pathlib import Path

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.contract import Event
from engine.decisions import decision_view, seat_view
from engine.languages import LANGUAGES
from engine.murano.board import own_boards
from engine.murano.descriptions import card_words, character_words
from engine.murano.names import action_names, card_names
from engine.murano.state import AT_ONCE, PHASES, SELL, State
from engine.policies import simulate
from tests.engine.murano.table import RING, arrived, gondoliers, having, laid, play, ships, table

DEFAULT = own_boards()[-1]

NAMES = ["Anna", "Ben", "Carla", "Dario"]
TYPES = (
    "start", "sail", "pass", "gold", "gondolier", "hire", "dismiss", "buy", "bought", "search",
    "taken", "recruit", "characters", "recruited", "chosen", "decline", "street", "lay", "build",
    "cards", "cards-shown", "card", "done", "income", "produce", "beads", "sell", "keep",
    "stack-empty", "last-round", "scoring", "character", "unused", "points", "end",
)  # fmt: skip


@cache
def games() -> tuple[list[Event], dict[str, State]]:
    """All events of some random games, and a state of each phase that came up."""
    events: list[Event] = []
    phases: dict[str, State] = {}
    for number in range(20):
        played = simulate(murano, 2 + number % 3, {}, seed_from_text(f"words {number}"), "random")
        events += played.opening.events
        for line in played.lines:
            events += line.events
            if murano.pending(line.state):
                phases.setdefault(line.state.phase, line.state)
    return events, phases


def label(state: State, text: str, language: str = "en") -> str:
    """What a legal move of the seat whose turn it is is called."""
    move = murano.parse(text)
    assert move in murano.legal_moves(state, state.mover)
    expected = murano.preview(state, state.mover, move)
    return murano.label(state, state.mover, move, expected, NAMES, language)


def question(state: State, language: str = "en") -> str:
    view = seat_view(murano, state, state.mover, NAMES[: len(state.players)], language)
    return murano.question(view, NAMES, language)


# Events


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_has_a_sentence(language: str) -> None:
    events, _ = games()
    assert {event["type"] for event in events} >= set(TYPES)
    for event in events:
        said = murano.sentence(event, NAMES, language)
        assert said.endswith(".")
        assert "%" not in said
        if "seat" in event:
            assert NAMES[event["seat"]] in said


def test_sentences_say_what_happened() -> None:
    for event, said in (
        (
            {"type": "sail", "seat": 0, "from": "A5", "to": "A6", "red": True, "paid": 2},
            "Anna sails the red ship from A5 to A6 for 2 gold.",
        ),
        (
            {"type": "build", "seat": 1, "tile": "palace", "kind": "2", "at": "SD-a1"},
            "Ben builds a palace with 2 crests on SD-a1.",
        ),
        (
            {"type": "lay", "seat": 1, "street": "red+blue", "at": "SD-b2"},
            "Ben lays the street with a red and a blue customer on SD-b2.",
        ),
        (
            {"type": "beads", "seat": 0, "beads": ["green", "red", "green"]},
            "Anna draws 1 red bead and 2 green beads.",
        ),
        ({"type": "return", "seat": 0, "bead": "blue"}, "Anna puts 1 blue bead back into the bag."),
        ({"type": "produce", "seat": 0, "count": 0}, "Anna produces nothing."),
        (
            {"type": "points", "seat": 2, "points": -4, "for": "production"},
            "Carla loses 4 points for the production.",
        ),
        (
            {"type": "character", "seat": 0, "character": 36, "island": "SP", "beads": {"red": 2}},
            (
                "Anna brings character 36 (7 points for each green bead you give up at "
                "S. Pietro Martire, up to 3) to S. Pietro Martire and gives up 2 red beads."
            ),
        ),
        (
            {"type": "unused", "seat": 3, "characters": [3, 17]},
            "Dario has no use for the characters 3 and 17.",
        ),
        (
            {"type": "end", "reason": "tiles", "winners": [0, 2]},
            "The game is over: two stacks of tiles have run out. Anna and Carla share the win.",
        ),
    ):
        assert murano.sentence(event, NAMES) == said


def test_sentences_in_german_and_spanish() -> None:
    event = {"type": "sell", "seat": 0, "beads": {"red": 1}, "gold": 5}
    assert murano.sentence(event, NAMES, "de") == "Anna verkauft 1 roten Glasstein für 5 Gold."
    assert murano.sentence(event, NAMES, "es") == "Anna vende 1 cuenta roja por 5 de oro."
    event = {"type": "stack-empty", "stack": "glassworks"}
    assert murano.sentence(event, NAMES, "de") == "Der Stapel der Glashütten ist aufgebraucht."
    assert murano.sentence(event, NAMES, "es") == "Se ha agotado la pila de vidrierías."
    assert murano.cause("production", "de") == "Produktion"
    assert murano.cause("special", "es") == "carta especial"


# Questions


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_has_a_question(language: str) -> None:
    _, phases = games()
    found = dict(phases)
    producer = having(laid(table(), SD_a2="street red", SD_a1="glassworks 0"), 0, vp=9)
    producer = having(producer, 0, cards=("counting-house",))
    found["return"] = play(arrived(producer, "A5"), "produce 1", "keep")
    assert set(found) == set(PHASES)
    asked = {phase: question(state, language) for phase, state in found.items()}
    assert len(set(asked.values())) == len(PHASES)
    for said in asked.values():
        assert said.endswith((".", "?"))
        assert "%" not in said


def test_nobody_else_is_asked() -> None:
    state = table()
    for seat in (None, 1):
        assert murano.question(seat_view(murano, state, seat, NAMES[:3]), NAMES) == ""


def test_questions_describe_the_decision() -> None:
    assert question(table()) == (
        "Sail a ship and take the action it reaches, or pass and take 1 gold."
    )
    here = arrived(table(), "A15")
    assert question(here) == (
        "Your ship is on A15: take gold. Choose what to do there, or sail another ship for 1 gold."
    )
    assert question(having(here, 0, gold=0)) == (
        "Your ship is on A15: take gold. Choose what to do there."
    )
    assert question(arrived(table(), "A5", moved=2)) == (
        "Your ship is on A5: production, which you cannot do now. Sail another ship for 2 gold."
    )
    recruiting = having(arrived(table(), "A3"), 0, characters=(1, 2))
    assert question(play(recruiting, "recruit")) == (
        "Take one of these characters for 3 gold, or none."
    )
    building = having(arrived(table(), "A1"), 0, shops="r")
    assert question(play(building, "street")).startswith("You have drawn a street with")
    assert question(play(building, "street", "lay SD-a2")) == (
        "You may build up to 2 more tiles, or stop."
    )
    assert question(play(building, "street", "lay SD-a2", "street", "lay SD-b2")) == (
        "You may build 1 more tile, or stop."
    )
    at_once = table()._replace(phase=AT_ONCE, shown=("shop", "red"), trigger=0)
    assert question(at_once) == "The end is near: you may build a red shop at once."
    sale = having(table(), 0, beads=(2, 0, 0))._replace(phase=SELL, shown=(1,), owes_bead=True)
    assert question(sale) == (
        "Sell one to three beads of one colour, or none. "
        "One bead has to be left, to go back into the bag."
    )


# Labels


def test_labels_say_what_a_move_costs_and_brings() -> None:
    rich = having(table(), 0, gold=20, vp=9)
    sailing = ships(rich, "A3", "A5", "A7", "A8", "A12", "A14", "A16", "A18")
    assert label(sailing, "sail A8 A9") == "Sail A8 to A9: buy a glassworks"
    sailing = arrived(sailing, "A7", moved=2)
    assert label(sailing, "sail A14 A15") == "Sail A14 to A15 (2 gold): take gold"
    poor = ships(having(table(), 0, gold=0), "A3", "A5", "A7", "A8", "A11", "A14", "A16", "A18")
    assert label(poor, "pass A8 A9") == "Pass and move A8 to A9: 1 gold"
    shop = arrived(rich, "A8")
    assert label(shop, "buy shop") == "Buy a shop from the top of the stack (2 gold)"
    assert label(shop, "search shop") == "Look through the shops and take one (4 gold)"
    assert label(play(shop, "search shop"), "take red") == "Take a red shop"
    recruit = having(arrived(rich, "A3"), 0, characters=(1,))
    assert label(recruit, "recruit") == "Recruit: see 3 characters, 2 gold if you take one"
    shown = play(recruit._replace(characters=(17, 5, 9, 2)), "recruit")
    assert label(shown, "choose 17") == (
        "Take character 17 (2 gold): 1 point for each of your own buildings on the island, "
        "2 points for each of the others'"
    )
    dock = arrived(rich, "A6")
    assert label(dock, "gondolier SD orange") == (
        "Place a gondolier at San Donato, orange dock (5 gold)"
    )
    tavern = having(dock, 0, cards=("harbour-tavern", "harbour"))
    assert label(tavern, "gondolier SD white") == (
        "Place a gondolier at San Donato, white dock (1 gold): 1 point"
    )
    assert label(arrived(rich, "A15"), "gold") == "Take 2 gold"
    assert label(having(arrived(rich, "A15"), 0, cards=("bank",)), "gold") == "Take 4 gold"
    crew = arrived(rich, "A14")
    assert label(crew, "hire") == "Hire a gondolier (3 gold)"
    assert label(crew, "dismiss") == "Dismiss a gondolier: 3 gold"
    hall = having(crew, 0, cards=("assembly-hall",))
    assert label(hall, "hire") == "Hire a gondolier (1 gold)"
    assert label(hall, "dismiss") == "Dismiss a gondolier: 5 gold"


def test_labels_of_building_and_selling() -> None:
    island = laid(table(), SD_a2="street red+red", SD_a3="glassworks 0", SD_b1="shop red 0")
    island = laid(island, SP_b2="street blue", SP_b1="glassworks 0")
    island = having(island, 0, vp=9, shops="r", specials=1, beads=(0, 0, 2))
    building = arrived(island, "A1")
    assert label(building, "build shop red SD-a1") == "Build a red shop on SD-a1: 2 points"
    assert label(building, "build special SD-a1") == (
        "Build a special building on SD-a1: choose a special card"
    )
    crane = having(building, 0, cards=("crane-noble",))
    assert label(crane, "build special SD-a1") == (
        "Build a special building on SD-a1: 1 point, choose a special card"
    )
    cards = ("basilica", "bank", "inn")
    choosing = play(building._replace(cards=cards), "build special SD-a1")
    assert label(choosing, "choose bank") == (
        "Choose the bank: the action to take gold brings 2 gold more"
    )
    assert label(choosing, "choose basilica") == "Choose the basilica: 5 points at once"
    assert label(arrived(island, "A12"), "income SD") == "Income on San Donato: 2 gold"
    producing = arrived(island, "A5")
    assert label(producing, "produce 2") == ("Let 2 glassworks produce: minus 4 points, 2 beads")
    assert label(producing, "produce 0") == "Produce nothing: only sell"
    house = having(producing, 0, cards=("counting-house", "guild-hall"))
    assert label(house, "produce 1") == (
        "Let 1 glassworks produce: minus 1 point, 2 beads, one goes back"
    )
    selling = having(island, 0, beads=(1, 0, 3))._replace(phase=SELL, shown=(1,))
    assert label(selling, "sell green 3") == "Sell 3 green beads: 20 gold"
    assert label(selling, "sell green 3", "de") == "Verkaufe 3 grüne Glassteine: 20 Gold"
    assert label(selling, "sell green 3", "es") == "Vende 3 cuentas verdes: 20 de oro"


def test_a_label_names_spaces_a_ship_can_only_pass() -> None:
    """Without glass and beads nothing can be produced: from there another ship has to sail."""
    state = ships(table(), "A3", "A4", "A7", "A8", "A12", "A14", "A16", "A18")
    why = "no glassworks of yours can produce, and you have no beads"
    assert label(state, "sail A4 A5") == f"Sail A4 to A5: production (not possible now: {why})"


def test_of_two_ships_on_a_space_the_red_one_is_named() -> None:
    state = ships(table(), "A4", "A4", "A7", "A8", "A12", "A14", "A16", "A18")
    assert label(state, "sail A4 A6") == "Sail A4 to A6: place a gondolier"
    assert label(state, "sail A4 A6 red") == "Sail the red ship A4 to A6: place a gondolier"


def test_hidden_information_changes_no_label() -> None:
    state = having(gondoliers(arrived(table(), "A8"), 0, "SD white"), 0, gold=9)
    other = having(state, 1, shops="rbg", characters=(1, 2, 3))
    other = other._replace(shops=state.shops[::-1], characters=state.characters[::-1])
    for move in murano.legal_moves(state, 0):
        text = murano.format(move)
        assert label(state, text) == label(other, text)


# Characters and cards


def test_the_page_of_rules_says_the_same_of_characters_and_cards() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rules" / "murano.md").read_text("utf-8")
    for number in DEFAULT.figures["characters"]:
        assert f"| {number} | {character_words(int(number), 'en', DEFAULT)} |\n" in page
    for key in DEFAULT.figures["special_cards"]:
        words = card_words(key, "en", DEFAULT)
        assert f"| {card_names('en')[key]} | `{key}` | {words} |\n" in page
    for space, action in zip(DEFAULT.ring, DEFAULT.actions):
        row = next(row for row in page.splitlines() if f"| {action_names('en')[action]} |" in row)
        assert space in row.split("|")[1].replace(",", "").split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_character_and_every_card_is_described_once(language: str) -> None:
    characters = [
        character_words(int(number), language, DEFAULT) for number in DEFAULT.figures["characters"]
    ]
    cards = [card_words(key, language, DEFAULT) for key in DEFAULT.figures["special_cards"]]
    for said in (characters, cards):
        assert all(said)
        assert len(set(said)) == len(said)
        assert not any("%" in words for words in said)


def test_descriptions_are_made_of_the_figures() -> None:
    for number, words in (
        (9, "10 points if the island has no more than 3 red and blue customers in all"),
        (11, "points for all customers on the island (1-2: 2, 3-4: 4, 5-6: 6, 7-8: 9, 9+: 12)"),
        (12, "points for the red customers on the island (1-2: 2, 3: 4, 4: 6, 5: 9, 6+: 12)"),
        (18, "12 points if the island has equally many special buildings and red customers, at"),
        (26, "10 points if you have at least 3 buildings on S. Teresa e S. Mattia"),
        (38, "4 points for each red shop on the island"),
    ):
        assert character_words(number, "en", DEFAULT).startswith(words)
    assert character_words(7, "en", DEFAULT) == (
        "points for gold (2 gold: 1, 4 gold: 3, 6 gold: 6, 7 gold: 8, 8 gold: 10) if the island "
        "has at least 2 blue customers, 1 grey customer, 1 palace and 1 special building"
    )
    assert character_words(21, "en", DEFAULT) == (
        "16 points if the island has equally many glassworks, palaces and shops, at least 1 of each"
    )
    assert character_words(99, "en", DEFAULT) == ""
    assert card_words("harbour", "en", DEFAULT) == (
        "placing a gondolier costs 1 gold on your colour, 3 gold on others"
    )


# What a move forces, and why an action is not possible


def offered(state: State, text: str, language: str = "en") -> str:
    """The label of a move as it is offered to the seat whose turn it is."""
    asked = decision_view(murano, state, state.mover, NAMES, language)
    assert asked is not None
    return next(str(move["label"]) for move in asked["moves"] if move["text"] == text)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Sail A13 to A14: hire or dismiss; then, as your only choice: Dismiss a gondolier:"
               " 3 gold")),
        ("de", ("Segle von A13 nach A14: Anheuern, Entlassen; dann als einzige Möglichkeit:"
               " Entlasse einen Gondoliere: 3 Gold")),
        ("es", ("Navega de A13 a A14: contratar o despedir; después, como única opción: Despide a"
               " un gondolero: 3 de oro")),
    ],
)  # fmt: skip
def test_a_sail_that_can_only_dismiss_says_so(language: str, words: str) -> None:
    state = having(ships(table(), "A1", "A5", "A13"), 0, gold=0)
    assert offered(state, "sail A13 A14", language) == words


def test_a_sail_that_leaves_a_choice_forces_nothing() -> None:
    state = having(ships(table(), "A1", "A5", "A13"), 0, gold=9)
    assert offered(state, "sail A13 A14") == "Sail A13 to A14: hire or dismiss"


@pytest.mark.parametrize(
    ("to", "changes", "why"),
    [
        ("A17", {"hand": 0}, "place a gondolier (not possible now: you have no gondolier at hand)"),
        ("A17", {"gold": 1}, ("place a gondolier (not possible now: it costs 2 gold and you would"
                             " have 1 gold)")),
        ("A18", {"gold": 1}, ("buy a palace (not possible now: it costs 2 gold and you would have"
                             " 1 gold)")),
        ("A12", {}, "income (not possible now: no island pays you anything)"),
        ("A5", {}, ("production (not possible now: no glassworks of yours can produce, and you have"
                   " no beads)")),
        ("A14", {"hand": 0, "supply": 0}, ("hire or dismiss (not possible now: you have no"
                                           " gondolier at hand and can hire none)")),
    ],
)  # fmt: skip
def test_an_action_that_is_not_possible_says_why(
    to: str, changes: dict[str, int], why: str
) -> None:
    start = RING[RING.index(to) - 1]
    state = having(ships(table(), "A1", start, "A7"), 0, **{"gold": 5, **changes})
    assert f"Sail {start} to {to}: {why}" in offered(state, f"sail {start} {to}")


def test_an_empty_stack_and_taken_docks_are_named() -> None:
    state = ships(table(), "A1", "A9", "A16")
    assert "buy a palace (not possible now: none are left)" in offered(
        state._replace(palaces=""), "sail A9 A10"
    )
    full = state._replace(docks="1" * len(state.docks))
    assert "place a gondolier (not possible now: all docks are taken)" in offered(
        full, "sail A16 A17"
    )
