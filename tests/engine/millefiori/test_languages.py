"""The game in English, German and Spanish: said to people, and understood from them."""

from collections import defaultdict

import pytest

from engine import millefiori
from engine.chance import seed_from_text
from engine.contract import Preview
from engine.decisions import seat_view
from engine.errors import Ambiguous, Unreadable
from engine.languages import LANGUAGES
from engine.millefiori.board import PLACE_NAME, ROUTE
from engine.millefiori.cards import AREAS, CARD, NAME, SYMBOLS
from engine.millefiori.legal import PLAY, PLAY_AND_SAIL
from engine.millefiori.moves import Decline, Discard, Keep, Move
from engine.millefiori.names import area_names, card_name, symbol_names
from engine.millefiori.vocabulary import all_spellings, understood
from engine.play import play
from engine.policies import simulate
from engine.toolkit.spelling import fold
from tests.engine.millefiori.table import answer, table

NAMES = ["Anna", "Ben", "Carla", "Dario"]
FOREIGN = [language for language in LANGUAGES if language != "en"]


def all_moves() -> list[Move]:
    moves: list[Move] = [Decline()]
    for card in range(len(NAME)):
        plays = [*PLAY[card].values(), *PLAY_AND_SAIL[card].values()]
        moves += [Keep(card), Discard(card), *plays, *(Keep(card, play) for play in plays)]
    return moves


# Said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_board_fits_the_width_and_says_what_it_shows(language: str) -> None:
    long_names = ["Anna with a very long name", "Ben", "Ludovico", "Žofie"]
    for seats in (2, 3, 4):
        names = long_names[:seats]
        for line in simulate(millefiori, seats, {}, seed_from_text("text"), "greedy").lines[::5]:
            for seat in (None, line.seat):
                view = seat_view(millefiori, line.state, seat, names, language)
                text = millefiori.board_text(view, names, language)
                assert max(map(len, text.splitlines())) <= 80
                assert all(place in text for place in PLACE_NAME if place != "route")
                words = millefiori.board_summary(view, names, language)
                for player in view["players"]:
                    assert f"{names[player['seat']]} " in words
                    assert str(player["score"]) in words
                for card in [*view["display"], *(view["you"]["hand"] if view["you"] else [])]:
                    assert card_name(card, language) in words
                    assert card_name(card, language) in " ".join(text.split())


@pytest.mark.parametrize("language", FOREIGN)
def test_nothing_is_left_in_english(language: str) -> None:
    def words_of(spoken: str) -> set[str]:
        lines = simulate(millefiori, 3, {}, seed_from_text("words"), "greedy").lines
        said: list[str] = []
        for line in lines:
            view = seat_view(millefiori, line.state, line.seat, NAMES[:3], spoken)
            said += [millefiori.sentence(event, NAMES, spoken) for event in line.events]
            said.append(millefiori.question(view, NAMES, spoken))
            said.append(millefiori.board_text(view, NAMES, spoken))
            said.append(millefiori.board_summary(view, NAMES[:3], spoken))
            if view["decision"]:
                said += [move["label"] for move in view["decision"]["moves"]]
        return {word for word in " ".join(said).replace("-", " ").split() if word.isalpha()}

    names = {*NAMES, "Mille", "Fiori", "MILLE", "FIORI", "POPULI", *"ABCDalpq"}
    in_both = {"an", "in", "Reserve", "Bonus", "ROUTE", "no"}
    assert words_of(language) & words_of("en") - names - in_both == set()


def test_texts_in_german_and_spanish() -> None:
    state = table(kept={0: "swans-1"}, diamonds={0: "G1 C1 J1", 1: "S1 S2"})
    move = millefiori.parse("swans-1 S5")
    expected = millefiori.preview(state, 0, move)
    assert millefiori.label(state, 0, move, expected, NAMES, "de") == (
        "Schwäne-1 auf S5: 23 Punkte (3 Handel, 20 Bonus), gutes Geschäft: Zusatzkarte; Ben 6"
    )
    assert millefiori.label(state, 0, move, expected, NAMES, "es") == (
        "cisnes-1 en S5: 23 puntos (3 comercio, 20 bonificación), "
        "buen negocio: carta adicional; Ben 6"
    )
    points = {"type": "points", "seat": 1, "points": 1, "for": "route"}
    assert millefiori.sentence(points, NAMES, "de") == "Ben erhält 1 Punkt auf der Route."
    assert millefiori.sentence(points, NAMES, "es") == "Ben obtiene 1 punto en la ruta."
    over = {"type": "end", "winners": [0, 1, 3], "reason": "deck"}
    assert millefiori.sentence(over, NAMES, "de").endswith(
        "Anna, Ben und Dario teilen sich den Sieg."
    )
    assert millefiori.cause("harbor", "de") == "Hafen"
    assert millefiori.cause("bonus", "es") == "bonificación"
    assert [millefiori.cause(area) for area in AREAS] == list(AREAS)


def test_a_label_says_what_earns_the_extra_card() -> None:
    workshops = table(kept={0: "quartz-3"}, diamonds={0: "W9", 1: "W1"}, display="key-1")
    residences = table(kept={0: "key-2"}, diamonds={0: "R1 R2"}, display="key-1")
    route = table(kept={0: "ship-2"}, ships={0: 5}, display="key-1")
    pyramid = table(kept={0: "coin-2"}, diamonds={1: "N4 N5 N8 N9 N10"}, display="key-1")
    for state, text, label in (
        (workshops, "quartz-3 W8", "quartz-3 to W8: 2 points, fills the symbol: extra card"),
        (residences, "key-2 R3", "key-2 to R3: 9 points, enough numbers: extra card"),
        (
            route,
            "ship-2 H1 sail",
            "ship-2 to H1 and sail: 0 points, lands on the symbol: extra card",
        ),
        (route, "ship-2 route", "Sail with ship-2: 0 points, lands on the symbol: extra card"),
    ):
        move = millefiori.parse(text)
        expected = millefiori.preview(state, 0, move)
        assert millefiori.label(state, 0, move, expected, NAMES) == label
    top = millefiori.parse("coin-2 N1")
    assert "top row: extra card" in millefiori.label(
        pyramid, 0, top, millefiori.preview(pyramid, 0, top), NAMES
    )


# Understood


def test_no_word_means_two_things() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for word, meaning in all_spellings():
        meanings[word].add(meaning)
    assert {word: of for word, of in meanings.items() if len(of) > 1} == {}
    assert len(meanings) > 150


def test_the_words_of_the_notation_mean_themselves() -> None:
    canonical = ["keep", "then", "sail", "discard", "decline", "route", *SYMBOLS, *AREAS]
    for word in [*canonical, "highest", "lowest", "any", *NAME]:
        assert understood(word) == [word]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_displayed_name_can_be_parsed(language: str) -> None:
    for symbol, name in symbol_names(language).items():
        assert understood(name) == [symbol]
    for area, name in area_names(language).items():
        if area != "bonus":
            assert understood(name) == [area]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_can_be_sent_back_as_the_move(language: str) -> None:
    """Whatever a choice is called, its name without the points is the move again."""
    moves, state = all_moves(), table()
    assert len(moves) > 1000
    for move in moves:
        label = millefiori.label(state, 0, move, Preview(), NAMES, language)
        name = label.partition(":")[0].partition(" (")[0]
        for written in (name, name.upper(), fold(name), name.replace("-", " ")):
            assert millefiori.parse(written) == move, written


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("behalte Quarz-3", "keep quartz-3"),
        ("Behalten: Löwe 2", "keep lion-2"),
        ("behalte loewe-2, dann N9", "keep lion-2 then N9"),
        ("behalte lowe-2 dann N9", "keep lion-2 then N9"),
        ("BEHALTE SCHLÜSSEL-1 DANN ROUTE", "keep key-1 then route"),
        ("Schiff-4 nach H2 und segeln", "ship-4 H2 sail"),
        ("Münze-2 Handelsroute", "coin-2 route"),
        ("muenze-2 abwerfen", "coin-2 discard"),
        ("verzichten", "decline"),
        ("conserva león-2 luego N9", "keep lion-2 then N9"),
        ("conservar leon-2, después N9", "keep lion-2 then N9"),
        ("barco-4 en H2 y navega", "ship-4 H2 sail"),
        ("moneda-2 ruta comercial", "coin-2 route"),
        ("navega con moneda-2", "coin-2 route"),
        ("descarta moneda-2", "coin-2 discard"),
        ("renuncia a la carta adicional", "decline"),
        ("keep Quarz-3 luego W8", "keep quartz-3 then W8"),  # languages may be mixed
        ("play quartz-3 to W8.", "quartz-3 W8"),
        ("quartz\u20113\u00a0W8", "quartz-3 W8"),
        ("coin-2 sail", "coin-2 route"),
        ("leave", "decline"),
    ],
)
def test_moves_are_read_in_every_language(text: str, notation: str) -> None:
    assert millefiori.format(millefiori.parse(text)) == notation


@pytest.mark.parametrize(
    "text",
    [
        "nicht Quarz-3 W8", "no cuarzo-3 W8", "quartz-3 W8 oder W10", "quartz-3 W8?", "Quarz-3",
        "behalte", "dann W8", "Quarz W8", "Quarz-3 W8 W9", "die Karte", "Schiff-4 segeln",
        "Danke", "quartz-3 = W8", "3", "quartz-33 W8", "behalte Quarz-3 sonst Asche-2",
    ],
)  # fmt: skip
def test_ambiguous_text_is_not_a_move(text: str) -> None:
    with pytest.raises(Unreadable):
        millefiori.parse(text)


def test_part_of_a_move_is_enough_in_every_language() -> None:
    state = table(3, mover=None, start=0, hands=["quartz-3 lion-1", "key-2", "coin-1"])
    for text in ("Löwe-1", "león-1", "lion-1"):
        line = play(millefiori, state, bytes(32), 0, None, text).lines[0]
        assert millefiori.format(line.move) == "keep lion-1"
    with pytest.raises(Ambiguous):
        answer(state, 0, "behalte")


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("keep pigments else high", ("pigments", "highest")),
        ("Keep  PIGMENTS,  else the highest number", ("pigments", "highest")),
        ("behalte Pigmente sonst hoch", ("pigments", "highest")),
        ("Löwe-2; Werkstätten; niedrigste Zahl; egal", ("lion-2", "workshops", "lowest", "any")),
        ("conserva pigmentos, si no el más alto, si no cualquiera", ("pigments", "highest", "any")),
        ("pueblo llano o si no bajo", ("populi", "lowest")),
        ("low", ("lowest",)),
        (["Quarz-3", "Handel", "high"], ("quartz-3", "trade", "highest")),
    ],
)
def test_ranked_lists_are_read_in_every_language(text: object, wishes: tuple[str, ...]) -> None:
    assert millefiori.read_preferences(text) == wishes
    assert millefiori.read_preferences(list(wishes)) == wishes
    assert millefiori.read_preferences(", ".join(wishes)) == wishes


@pytest.mark.parametrize(
    "text",
    [
        *("keep", "not pigments", "pigments lime", "quartz-3 W8", "keep keep lime", "else"),
        *("else high", "keep else high", "behalte sonst hoch", "pigments else", "pigments, else"),
        *("pigments else else high", "pigments, else, si no high"),
    ],
)
def test_an_unreadable_list_of_preferences_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        millefiori.read_preferences(text)


def test_commas_without_anything_between_them_do_no_harm() -> None:
    assert millefiori.read_preferences(", pigments,, \n sonst, hoch;") == ("pigments", "highest")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["lion-2", "pigments", "populi", "highest number", "lowest number", "any card"]),
        ("de", ["Löwe-2", "Pigmente", "Populi", "höchste Zahl", "niedrigste Zahl"]),
        ("es", ["león-2", "pigmentos", "pueblo llano", "el número más alto"]),
    ],
)
def test_preferences_are_described_in_words_that_can_be_parsed(
    language: str, words: list[str]
) -> None:
    wishes = ("lion-2", "pigments", "populi", "highest", "lowest", "any")
    told = millefiori.preference_labels(wishes, language)
    assert told[: len(words)] == words
    assert millefiori.read_preferences(", ".join(told)) == wishes
    for wish in (*AREAS, *SYMBOLS, *CARD):
        assert millefiori.read_preferences(millefiori.preference_labels([wish], language)) == (
            wish,
        )


def test_no_place_and_no_card_is_written_like_another() -> None:
    written = [" ".join(understood(name)) for name in (*PLACE_NAME, *CARD)]
    assert written == [*PLACE_NAME, *CARD]
    assert PLACE_NAME[ROUTE] == "route"
