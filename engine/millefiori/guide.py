"""The rules in short, by topic; `docs/rules/millefiori.md` has them in full."""

from functools import cache

from engine.contract import Topic
from engine.languages import ENGLISH
from engine.millefiori.names import area_names, translation


@cache
def guide(language: str = ENGLISH) -> tuple[Topic, ...]:
    """The course of the game first, then the areas, then the end."""
    _ = translation(language).gettext
    areas = {key: name[:1].upper() + name[1:] for key, name in area_names(language).items()}
    pyramid = _(
        "A space of the lowest row is always open, one further up when both spaces below it are "
        "filled. You get 1, 3 or 6 points by the row, doubled if your card shows the symbol of "
        "the space. Then every diamond in the triangle below pays its owner the points of its "
        "row. Bonus: all three symbols of this pyramid. Extra card: any space of the top row."
    )
    return (
        Topic(
            "order",
            _("Rounds and turns"),
            _(
                "Everybody is dealt 5 cards a round. In each turn all choose a card to keep, in "
                "secret and at the same time, and pass on the others. Then the kept cards are "
                "played one after another, beginning with the start player, who has the Doge's "
                "cap. In the next round the next seat starts."
            ),
        ),
        Topic(
            "hand",
            _("Your hand"),
            _(
                "Only you see these cards. The symbol of a card tells where it may place a "
                "diamond, the number how far it can sail your ship: a card does one or the other. "
                "A ship card does both: it places a diamond in the harbor, and then your ship may "
                "sail. You may change the card you keep until the last player has chosen."
            ),
        ),
        Topic(
            "passing",
            _("Passing on"),
            _(
                "The cards you do not keep go to the next seat, who sees them when all have "
                "played. In the last turn of a round nothing is passed: what is left joins the "
                "display. In the tactical variant you choose a card only when your turn comes, "
                "and hands are passed on when everybody has played."
            ),
        ),
        Topic(
            "display",
            _("Display"),
            _(
                "Cards that lie open beside the board. Extra cards are taken from here. After "
                "each round the cards left over in the hands join them."
            ),
        ),
        Topic(
            "extra-card",
            _("Extra card"),
            _(
                "Earn one, and you may at once play any card of the display as if it were yours. "
                "It may earn the next one. You may also leave it; if the display is empty, it is "
                "lost."
            ),
        ),
        Topic(
            "diamonds",
            _("Diamonds"),
            _(
                "The first number is your supply, the second your reserve. Every diamond you "
                "place and every bonus you take costs one. Who lays the last diamond of the "
                "supply brings about the end, and only then may use the reserve."
            ),
        ),
        Topic(
            "bonus",
            areas["bonus"],
            _(
                "For variety in an area. The first player to have it gets 20 points, the others "
                "15, 10 and 5 in their order. It is marked with a diamond of your supply, and "
                "comes to you once in each area."
            ),
        ),
        Topic(
            "workshops",
            areas["workshops"],
            _(
                "Place on any empty space with the symbol of your card. You get 1 point for each "
                "diamond of your connected group, and twice as much if the new space shows "
                "pigments. Bonus: all four materials. Extra card: you fill the last of the three "
                "spaces around its symbol."
            ),
        ),
        Topic(
            "residences",
            areas["residences"],
            _(
                "A key fills the next empty house of the line. You get its number, and the "
                "numbers of all your houses that lie directly before it without a gap. Bonus: "
                "four different numbers. Extra card: with your third and with your fifth "
                "different number."
            ),
        ),
        Topic("nobili", areas["nobili"], pyramid),
        Topic("populi", areas["populi"], pyramid),
        Topic(
            "trade",
            areas["trade"],
            _(
                "Place on any empty space of your card's commodity. Each diamond on this "
                "commodity, whoever it belongs to, earns its owner as many points as spaces of it "
                "are filled now. Bonus: all four commodities. Extra card: somebody else has more "
                "diamonds on it than you."
            ),
        ),
        Topic(
            "harbor",
            areas["harbor"],
            _(
                "A ship card places in any line with room for a ship. The third ship makes the "
                "fleet leave: each of its diamonds earns 0, 1, 3, 6 or 10 points, as 0 to 4 "
                "commodities of this line are filled. After placing you may sail the number of "
                "the card. There is no bonus."
            ),
        ),
        Topic(
            "route",
            _("Trade route"),
            _(
                "Instead of placing, any card may sail your ship by its number. Only the space "
                "where the ship lands counts: you get its points, and an extra card where it "
                "shows one. At the last space the ship stops, and cannot sail any more."
            ),
        ),
        Topic(
            "end",
            _("The end"),
            _(
                "The game ends after the round for which the last cards were dealt, or after the "
                "turn in which somebody has laid the last diamond of the supply; all play that "
                "turn to its end. Most points win; if several have the most, they share the win."
            ),
        ),
    )
