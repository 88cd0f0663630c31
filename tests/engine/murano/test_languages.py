"""The game in English, German and Spanish: said to people, and understood from them."""

from collections import defaultdict

import pytest

from engine import murano
from engine.chance import seed_from_text
from engine.decisions import seat_view
from engine.errors import Unreadable
from engine.languages import LANGUAGES
from engine.murano.board_checks import ACTIONS, CARDS
from engine.murano.moves import GRAMMAR, ChooseCard
from engine.murano.names import action_names, card_names, colour_names, tile_names
from engine.murano.vocabulary import all_spellings, phrases, understood
from engine.policies import simulate
from engine.toolkit.spelling import fold

NAMES = ["Anna", "Ben", "Carla", "Dario"]
FOREIGN = [language for language in LANGUAGES if language != "en"]


# Said


@pytest.mark.parametrize("language", FOREIGN)
def test_nothing_is_left_in_english(language: str) -> None:
    def words_of(spoken: str) -> set[str]:
        said: list[str] = []
        for line in simulate(murano, 4, {}, seed_from_text("words"), "random").lines[::3]:
            view = seat_view(murano, line.state, line.seat, NAMES, spoken)
            said += [murano.sentence(event, NAMES, spoken) for event in line.events]
            said.append(murano.question(view, NAMES, spoken))
            said.append(murano.board_text(view, NAMES, spoken))
            said.append(murano.board_summary(view, NAMES, spoken))
            if view["decision"]:
                said += [move["label"] for move in view["decision"]["moves"]]
        text = " ".join(said).replace("-", " ")
        return {word for word in text.split() if word.isalpha() and len(word) > 3}

    names = {
        *NAMES, "Donato", "Pietro", "Martire", "Sacca", "Mattia", "Serenella", "Teresa", "Chiara",
        "Stefano", "DONATO", "PIETRO", "MARTIRE", "SACCA", "MATTIA", "SERENELLA", "TERESA",
        "CHIARA", "STEFANO",
    }  # fmt: skip
    in_both = {"Gold", "orange", "hand", "minus", "Bank", "produce"}
    assert words_of(language) & words_of("en") - names - in_both == set()


# Understood


def test_no_word_means_two_things() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for word, meaning in (*all_spellings(), *phrases()):
        meanings[word].add(meaning)
    assert {word: of for word, of in meanings.items() if len(of) > 1} == {}
    assert len(meanings) > 300


def test_the_words_of_the_notation_mean_themselves() -> None:
    for word in [*ACTIONS, *CARDS, *colour_names("en"), "sail", "pass", "take", "choose", "done"]:
        assert understood(word) == [word]
        assert understood(word.upper()) == [word]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_displayed_name_can_be_parsed(language: str) -> None:
    for tile, name in tile_names(language).items():
        assert understood(name) == [tile]
    for colour, name in colour_names(language).items():
        assert understood(name) == [colour]
    for card, name in card_names(language).items():
        assert understood(name) == [card]
        assert murano.parse(f"choose {name}") == ChooseCard(card)
    for action, name in action_names(language).items():
        assert murano.read_preferences([name]) == (action,)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_can_be_sent_back_as_the_move(language: str) -> None:
    """Whatever a choice is called, its name without prices and gains is the move again."""
    seen = set()
    for number in range(4):
        played = simulate(murano, 4, {}, seed_from_text(f"labels {number}"), "random")
        state = played.opening.state
        for line in played.lines:
            for move in murano.legal_moves(state, line.seat):
                text = murano.format(move)
                assert murano.parse(text) == move
                if text not in seen:
                    seen.add(text)
                    expected = murano.preview(state, line.seat, move)
                    label = murano.label(state, line.seat, move, expected, NAMES, language)
                    name = label.partition(":")[0].partition(" (")[0]
                    for written in (name, name.upper(), fold(name)):
                        assert murano.parse(written) == move, written
            state = line.state
    assert len(seen) > 400


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("segle A5 A6", "sail A5 A6"),
        ("Segle von A5 nach A6!", "sail A5 A6"),
        ("segle mit dem roten Schiff A5 nach A6", "sail A5 A6 red"),
        ("navega A5 A6", "sail A5 A6"),
        ("navega de A5 a A6, rojo", "sail A5 A6 red"),
        ("passe A5 A6", "pass A5 A6"),
        ("pasa a5 a6", "pass A5 A6"),
        ("baue Laden rot SD-a1", "build shop red SD-a1"),
        ("baue einen roten Laden auf SD-a1", "build shop red SD-a1"),
        ("construye tienda roja SD-a1", "build shop red SD-a1"),
        ("build a palace with 2 crests on SD‑b1", "build palace 2 SD-b1"),  # noqa: RUF001
        ("baue Glashuette sd-a1", "build glassworks SD-a1"),
        ("construye edificio especial SD-a1", "build special SD-a1"),
        ("Laden kaufen", "buy shop"),
        ("kaufe Sondergebäude", "buy special"),
        ("compra vidrieria", "buy glassworks"),
        ("durchsuche Paläste", "search palace"),
        ("nimm 3", "take 3"),
        ("toma tienda azul", "take blue"),
        ("Charakter anwerben", "recruit"),
        ("nimm Charakter 3", "choose 3"),
        ("elige personaje 17", "choose 17"),
        ("wähle Bank", "choose bank"),
        ("choose harbour-tavern", "choose harbour-tavern"),
        ("elige taberna del puerto", "choose harbour-tavern"),
        ("wähle Künstlerwerkstatt Rot-Grün", "choose studio-red-green"),
        ("verzichten", "decline"),
        ("Gondoliere San Donato orange", "gondolier SD orange"),
        ("coloca un gondolero en S. Pietro Martire, muelle blanco", "gondolier SP white"),
        ("Straße ziehen", "street"),
        ("coloca la calle en SD-b2", "lay SD-b2"),
        ("lege SD-b2", "lay SD-b2"),
        ("fertig", "done"),
        ("Einkommen Sacca Mattia", "income SM"),
        ("ingresos sd", "income SD"),
        ("lass 2 Glashütten produzieren", "produce 2"),
        ("producir 2", "produce 2"),
        ("verkaufe 3 grüne", "sell green 3"),
        ("sell 1 red and 2 green beads", "sell red 1 green 2"),
        ("vende verde 3", "sell green 3"),
        ("behalten", "keep"),
        ("gib blau zurück", "return blue"),
        ("devuelve una cuenta azul", "return blue"),
        ("heuere einen Gondoliere an", "hire"),
        ("despide a un gondolero", "dismiss"),
        ("nimm Gold", "gold"),
        ("sail von A5 a A6", "sail A5 A6"),  # languages may be mixed
    ],
)
def test_moves_are_read_in_every_language(text: str, notation: str) -> None:
    assert murano.format(murano.parse(text)) == notation


@pytest.mark.parametrize(
    "text",
    [
        "nicht segle A5 A6", "no navega A5 A6", "segle A5 oder A6", "segle A5 A6?", "segle A5",
        "baue Laden SD-a1", "baue Laden grün SD-a1", "baue Palast rot SD-a1", "die Karte", "Danke",
        "wähle", "verkaufe", "verkaufe 4 rote", "kaufe Straße", "A5 A6", "3", "segle A5 = A6",
        "baue Laden rot SD-a1 SD-b1", "produziere", "kaufe Bank", "nimm grün", "sell red red",
    ],
)  # fmt: skip
def test_ambiguous_text_is_not_a_move(text: str) -> None:
    with pytest.raises(Unreadable):
        murano.parse(text)


def test_every_form_in_the_grammar_is_a_move() -> None:
    for text in GRAMMAR.split("'")[1::2]:
        assert murano.format(murano.parse(text)) == text


@pytest.mark.parametrize(
    "data",
    [
        {"type": "buy", "tile": "Laden"},
        {"type": "take", "kind": "gold"},
        {"type": "choose", "card": "17"},
        {"type": "gondolier", "island": "San Donato", "dock": "orange"},
        {"type": "produce", "count": "2"},
        {"type": "segle", "from": "A5", "to": "A6"},
    ],
)
def test_json_knows_the_notation_only(data: object) -> None:
    with pytest.raises(Unreadable):
        murano.move_from_json(data)


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("income, else gold, else pass", ("income", "gold", "pass")),
        ("Einkommen, sonst Gold nehmen, sonst passen", ("income", "gold", "pass")),
        ("Laden kaufen oder sonst Glashütte", ("shop", "glassworks")),
        ("ingresos si no producción o si no pasar", ("income", "production", "pass")),
        ("comprar palacio; contratar; construir", ("palace", "crew", "build")),
        (["Charakter anwerben", "Gondoliere einsetzen"], ("recruit", "gondolier")),
    ],
)
def test_ranked_lists_are_read_in_every_language(text: object, wishes: tuple[str, ...]) -> None:
    assert murano.read_preferences(text) == wishes
    assert murano.read_preferences(list(wishes)) == wishes
    assert murano.read_preferences(", ".join(wishes)) == wishes


@pytest.mark.parametrize("text", ["", "else", "no income", "income gold", "sail A5 A6", "red", 3])
def test_an_unreadable_list_of_preferences_is_refused(text: object) -> None:
    with pytest.raises(Unreadable):
        murano.read_preferences(text)
