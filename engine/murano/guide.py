"""The rules in short, by topic; `docs/rules/murano.md` has them in full.

The figures are those of the board of new games.
"""

from collections.abc import Iterator, Mapping
from gettext import NullTranslations

from engine.contract import Topic
from engine.languages import ENGLISH
from engine.murano.board import board_cache, default_board, uses_own_board
from engine.murano.descriptions import card_words
from engine.murano.names import action_names, card_names, stack_names, translation
from engine.murano.phrases import gold_words, points_words

BUILDING_TOPICS = {
    "shop": "shops",
    "palace": "palaces",
    "glassworks": "glassworks",
    "special": "special-buildings",
}


def action_topic(action: str) -> str:
    return f"action-{action}"


def card_topic(card: str) -> str:
    return f"card-{card}"


def street_topic(kind: str) -> str:
    return "streets" if kind == "blank" else "customers"


@board_cache
def guide(language: str = ENGLISH) -> tuple[Topic, ...]:
    """A turn with all actions first, then islands and belongings, then the end."""
    catalogue = translation(language)
    return (
        *_turns(catalogue),
        *_actions(language),
        *_islands(language),
        *_belongings(language),
        *_special_cards(language),
        _end(catalogue),
        *_own_board(catalogue),
    )


def _title(name: str) -> str:
    return name[:1].upper() + name[1:]


def _turns(catalogue: NullTranslations) -> Iterator[Topic]:
    _ = catalogue.gettext
    gold = default_board().figures["actions"]["pass_gold"]
    yield Topic(
        "turn",
        _("A turn"),
        _(
            "Sail a ship and do what the space says on which it has arrived. Or pass: take "
            "%(gold)d gold, move one ship to a free space it can reach, and do nothing there."
        )
        % {"gold": gold},
    )
    yield Topic(
        "ring",
        _("Ring and ships"),
        _(
            "The ships belong to nobody. A ship sails forward as far as you like over free spaces, "
            "never past another ship and never onto one. Your first movement of a turn is free, "
            "the next ones cost 1, 2, 3 gold and so on. Only the last ship you moved counts for "
            "the action, and you act exactly once."
        ),
    )
    yield Topic(
        "red-ship",
        _("Red ship"),
        _(
            "It sails like the others. But who has the lighthouse may also sail it onto the next "
            "occupied space and act there; then two ships share a space."
        ),
    )


def _actions(language: str) -> Iterator[Topic]:
    texts = _action_texts(language)
    for action, name in action_names(language).items():
        yield Topic(action_topic(action), _title(name), texts[action])


def _action_texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    figures = default_board().figures
    actions, prices, sales = figures["actions"], figures["prices"], figures["sale_gold"]

    def gold(**amounts: int) -> dict[str, str]:
        return {name: gold_words(amount, language) for name, amount in amounts.items()}

    def searched(tile: str) -> dict[str, str]:
        top, search = prices[tile]
        return gold(top=top, search=search)

    own, other = prices["gondolier"]
    return {
        "gold": _("Take %(gold)s.") % gold(gold=actions["gold"]),
        "glassworks": _("Pay %(gold)s and take a glassworks, to build it later.")
        % gold(gold=prices["glassworks"]),
        "shop": _(
            "Pay %(top)s for the top shop of the stack, or %(search)s to look through the stack "
            "and take any of them; then it is shuffled. The others see which one you have only "
            "when you build it."
        )
        % searched("shop"),
        "palace": _(
            "Pay %(top)s for the top palace of the stack, or %(search)s to look through the stack "
            "and take any of them; then it is shuffled. The others see which one you have only "
            "when you build it."
        )
        % searched("palace"),
        "special": _(
            "Pay %(gold)s and take a special building. When you build it, it brings you a special "
            "card."
        )
        % gold(gold=prices["special"]),
        "recruit": _(
            "See %(shown)d characters, then take one and pay, or take none and pay nothing. The "
            "first costs %(gold)s, each further one 1 gold more, and you must have the gold "
            "before you look. The others go under the stack."
        )
        % {"shown": actions["characters_shown"], **gold(gold=actions["recruit_price"])},
        "gondolier": _(
            "Place a gondolier from your hand on a free dock: for %(own)s at your own colour, for "
            "%(other)s at any other. There it stays for good."
        )
        % gold(own=own, other=other),
        "build": _(
            "Lay 1 to %(tiles)d tiles, streets and buildings in any order, on any islands. A "
            "street is drawn from the stack and costs nothing. A building must be yours already, "
            "and goes on a free building space next to a laid street."
        )
        % {"tiles": actions["tiles_per_build"]},
        "income": _(
            "Choose an island. For each colour of which you have a shop there, you get 1 gold for "
            "every customer of that colour on this island. A second shop of the colour there "
            "earns nothing more."
        ),
        "production": _(
            "Choose how many of your glassworks produce. Each costs you %(points)s and draws a "
            "bead from the bag. Then you may sell beads once: 1, 2 or 3 of one colour, for "
            "%(one)d, %(two)d or %(three)d gold. You may also come here only to sell."
        )
        % {
            "points": points_words(actions["vp_per_produced_bead"], language),
            "one": sales[1],
            "two": sales[2],
            "three": sales[3],
        },
        "crew": _(
            "Hire: pay %(hire)s and take a gondolier from your supply; at hand and on docks you "
            "never have more than %(most)d. Or dismiss: put one from your hand into the supply "
            "and take %(pays)s."
        )
        % {
            "most": actions["gondoliers_at_most"],
            **gold(hire=prices["hire"], pays=prices["dismiss_pays"]),
        },
    }


def _islands(language: str) -> Iterator[Topic]:
    _ = translation(language).gettext
    several = {key: _title(name) for key, name in stack_names(language).items()}
    build_vp = default_board().figures["build_vp"]

    def points(tile: str) -> dict[str, str]:
        return {"points": points_words(build_vp[tile], language)}

    yield Topic(
        "islands",
        _("Islands"),
        _(
            "Each island has spaces for streets, spaces for buildings, and docks. At the end a "
            "character counts what stands on the island where your gondolier has brought it."
        ),
    )
    yield Topic(
        "docks",
        _("Docks"),
        _(
            "Each dock has room for one gondolier, whoever it belongs to. The dock of your own "
            "colour is the cheapest for you."
        ),
    )
    yield Topic(
        "streets",
        several["street"],
        _(
            "A street goes on any free street space. It opens the building spaces above, below and "
            "beside it."
        ),
    )
    yield Topic(
        "customers",
        _("Customers"),
        _(
            "Red, blue and grey customers stand on streets. They pay in the shops of their colour "
            "on the same island, and many characters count them."
        ),
    )
    yield Topic(
        BUILDING_TOPICS["shop"],
        several["shop"],
        _(
            "A shop sells to the customers of its colour on its island. It brings %(points)s when "
            "you build it, gets your marker, and counts as your own building."
        )
        % points("shop"),
    )
    yield Topic(
        BUILDING_TOPICS["palace"],
        several["palace"],
        _(
            "A palace has 1, 2 or 3 crests, which some characters count. It brings %(points)s when "
            "you build it, and then belongs to nobody."
        )
        % points("palace"),
    )
    yield Topic(
        BUILDING_TOPICS["glassworks"],
        several["glassworks"],
        _(
            "A glassworks can produce beads. It brings %(points)s when you build it, gets your "
            "marker, and counts as your own building."
        )
        % points("glassworks"),
    )
    yield Topic(
        BUILDING_TOPICS["special"],
        several["special"],
        _(
            "A special building belongs to nobody. But who builds it sees %(shown)d special cards "
            "and keeps one of them."
        )
        % {"shown": default_board().figures["actions"]["special_cards_shown"]},
    )


def _belongings(language: str) -> Iterator[Topic]:
    catalogue = translation(language)
    _ = catalogue.gettext
    unused = default_board().figures["actions"]["unused_gondolier_vp"]
    yield Topic(
        "points",
        _("Points"),
        _(
            "Buildings bring points at once, characters at the end. Production costs points, but "
            "nobody falls below 0."
        ),
    )
    yield Topic(
        "gold",
        _("Gold"),
        _(
            "You pay with it for ships, tiles, characters and gondoliers. Between equal points at "
            "the end, more gold wins."
        ),
    )
    yield Topic(
        "gondoliers",
        _("Gondoliers"),
        _(
            "Those at hand can be placed on docks; those after the plus are in the supply and must "
            "be hired first. At the end each placed gondolier brings one character to its island; "
            "one without a character is worth %(points)s."
        )
        % {"points": points_words(unused, language)},
    )
    yield Topic(
        "beads",
        _("Beads"),
        _(
            "They come from the production and are sold there, up to three of one colour at once. "
            "Some characters give points for beads that you give up at the end."
        ),
    )
    yield Topic(
        "characters",
        _("Characters"),
        _(
            "They bring points at the end and stay secret until then. Each needs a gondolier of "
            "its own at the island where it shall count. Which one goes where is chosen for you "
            "so that it brings the most."
        ),
    )
    yield Topic(
        "own",
        _("Yours alone to see"),
        _(
            "The shops and palaces that you have bought and not yet built, and your characters. "
            "The others only see how many you have."
        ),
    )
    yield Topic(
        "stacks",
        _title(_("stacks and bag")),
        _(
            "So many tiles, characters and cards are left, and so many beads are in the bag. A "
            "stack of tiles that has run out is marked: the second one brings about the end."
        ),
    )


def _special_cards(language: str) -> Iterator[Topic]:
    _ = translation(language).gettext
    yield Topic(
        "special-cards",
        _title(stack_names(language)["special_cards"]),
        _(
            "They lie open in front of who has chosen them, and work from the owner's next turn to "
            "the end of the game."
        ),
    )
    for card, name in card_names(language).items():
        text = f"{_title(card_words(card, language, default_board()))}."
        yield Topic(card_topic(card), _title(name), text)


def _end(catalogue: NullTranslations) -> Topic:
    _ = catalogue.gettext
    return Topic(
        "end",
        _("The end"),
        _(
            "When the second of the five stacks of tiles has run out, every other player has one "
            "more turn; a building that is bought from then on may be built at once. Then the "
            "characters are scored. Most points win, and between equals most gold."
        ),
    )


def _own_board(catalogue: NullTranslations) -> Iterator[Topic]:
    """The differences from the printed game, if new games use Laguna's own board."""
    if not uses_own_board():
        return
    _ = catalogue.gettext
    yield Topic(
        "own-board",
        _("Laguna's own board"),
        _(
            "The rules, the prices and the numbers of tiles and cards are those of the printed "
            "game; the board is not. Laguna's own are: the order of the ring and where the ships "
            "begin, the islands with 4 docks each, the customers on the streets, 4 shops of each "
            "colour, the crests of the palaces, parts of the tables for gold and customers, and "
            "that 5 characters are left out at random. Where the printed rules leave a question "
            "open we have decided: you need the price of a character or of a search before you "
            "look, the counting house always takes a bead back, and neither gold nor owners' "
            "markers run out."
        ),
    )
