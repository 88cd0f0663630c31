"""Labels of moves: the name of a choice, its price and its gain."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from engine.contract import Preview
from engine.languages import ENGLISH
from engine.murano.descriptions import card_words, character_words
from engine.murano.legal import action_needs, free_docks, hire_price, income, recruit_price
from engine.murano.moves import (
    BEADS,
    Build,
    Buy,
    ChooseCard,
    ChooseCharacter,
    Decline,
    Dismiss,
    Done,
    Gold,
    Gondolier,
    Hire,
    Income,
    Keep,
    Lay,
    Move,
    Pass,
    Produce,
    Recruit,
    Return,
    Sail,
    Search,
    Sell,
    Street,
    Take,
)
from engine.murano.names import action_names, card_names, colour_name, island_name, translation
from engine.murano.phrases import (
    bead_words,
    counted,
    gold_words,
    points_words,
    tile_words,
)
from engine.murano.previews import preview
from engine.murano.state import AT_ONCE, State, board_of
from engine.toolkit.texts import label_with_forced


def label(
    state: State,
    seat: int,
    move: Move,
    expected: Preview,
    names: Sequence[str],
    language: str = ENGLISH,
) -> str:
    """The label of a move: price, gain, and the moves that it forces."""
    case = _Case(state, seat, language)
    words = case.words(move)
    gains = case.gains(move)
    if expected.points and not isinstance(move, ChooseCard):  # its text has the points
        gains = [points_words(expected.for_seat(seat), language), *gains]
    said = f"{words}: {', '.join(gains)}" if gains else words
    moves = [
        label(before, seat, forced, preview(before, seat, forced), names, language)
        for before, forced in expected.forced
    ]
    return label_with_forced(translation(language), said, moves)


@cache
def _texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "sail": _("Sail %(start)s to %(to)s"),
        "sail red": _("Sail the red ship %(start)s to %(to)s"),
        "sail paid": _("Sail %(start)s to %(to)s (%(gold)s)"),
        "sail red paid": _("Sail the red ship %(start)s to %(to)s (%(gold)s)"),
        "pass": _("Pass and move %(start)s to %(to)s"),
        "pass red": _("Pass and move the red ship %(start)s to %(to)s"),
        "not now": _("%(action)s (not possible now: %(why)s)"),
        "gold": _("Take %(gold)s"),
        "buy": _("Buy %(tile)s (%(gold)s)"),
        "buy top": _("Buy %(tile)s from the top of the stack (%(gold)s)"),
        "search shop": _("Look through the shops and take one (%(gold)s)"),
        "search palace": _("Look through the palaces and take one (%(gold)s)"),
        "take": _("Take %(tile)s"),
        "character": _("Take character %(number)d"),
        "character paid": _("Take character %(number)d (%(gold)s)"),
        "card": _("Choose the %(card)s"),
        "decline": _("Take none of them"),
        "gondolier": _("Place a gondolier at %(island)s, %(dock)s dock (%(gold)s)"),
        "street": _("Draw a street"),
        "lay": _("Lay the street on %(at)s"),
        "build": _("Build %(tile)s on %(at)s"),
        "build special": _("choose a special card"),
        "done": _("Build no more"),
        "done at once": _("Do not build it now"),
        "income": _("Income on %(island)s"),
        "produce 0": _("Produce nothing"),
        "only sell": _("only sell"),
        "one back": _("one goes back"),
        "sell": _("Sell %(beads)s"),
        "keep": _("Sell nothing"),
        "return": _("Put %(bead)s back into the bag"),
        "hire": _("Hire a gondolier (%(gold)s)"),
        "dismiss": _("Dismiss a gondolier"),
    }


@cache
def _obstacles(language: str) -> Mapping[str, str]:
    """The obstacles of an action: a lack of gold, or the action's own."""
    _ = translation(language).gettext
    return {
        "gold": _("it costs %(price)s and you would have %(left)s"),
        "stack": _("none are left"),
        "hand": _("you have no gondolier at hand"),
        "docks": _("all docks are taken"),
        "build": _("no street is left, and you have no building that fits anywhere"),
        "income": _("no island pays you anything"),
        "production": _("no glassworks of yours can produce, and you have no beads"),
        "crew": _("you have no gondolier at hand and can hire none"),
    }


@lru_cache(maxsize=8)  # needed for every sail of a decision
def _needs(state: State) -> Mapping[str, int]:
    return action_needs(state)


class _Case:
    """A decision of the seat, and the language of its labels."""

    def __init__(self, state: State, seat: int, language: str) -> None:
        self.state, self.language = state, language
        self.board, self.player = board_of(state), state.players[seat]
        self.figures = self.board.figures

    def text(self, key: str, gold: int | None = None, **facts: object) -> str:
        price = {} if gold is None else {"gold": gold_words(gold, self.language)}
        return _texts(self.language)[key] % {**facts, **price}

    def special(self, card: str, fact: str) -> int:
        """A figure of a working special card of the seat; else 0."""
        return int(self.figures["special_cards"][card][fact]) if self.player.has(card) else 0

    # Name and price of a move

    def words(self, move: Move) -> str:
        prices = self.figures["prices"]
        match move:
            case Sail(start, to, red):
                paid = self.state.moved
                way = "sail" + (" red" if red else "") + (" paid" if paid else "")
                return self.text(way, paid, start=start, to=to)
            case Pass(start, to, red):
                return self.text("pass red" if red else "pass", start=start, to=to)
            case Gold():
                extra = self.special("bank", "gold")
                return self.text("gold", self.figures["actions"]["gold"] + extra)
            case Buy("shop" | "palace" as tile):
                return self.text("buy top", prices[tile][0], tile=self.tile(tile))
            case Buy(tile):
                return self.text("buy", prices[tile], tile=self.tile(tile))
            case Search(tile):
                return self.text(f"search {tile}", prices[tile][1])
            case Take(kind):
                return self.text("take", tile=self.tile(str(self.state.shown[0]), kind))
            case Recruit():
                return self.recruiting()
            case ChooseCharacter(number):
                price = recruit_price(self.state)
                return self.text("character paid" if price else "character", price, number=number)
            case ChooseCard(card):
                return self.text("card", card=card_names(self.language)[card])
            case Gondolier(island, colour):
                price = next(
                    dock.price
                    for dock in free_docks(self.state)
                    if (dock.island, dock.colour) == (island, colour)
                )
                dock = colour_name(colour, self.language)
                return self.text("gondolier", price, island=self.island(island), dock=dock)
            case Lay(at):
                return self.text("lay", at=at)
            case Build(tile, kind, at):
                return self.text("build", tile=self.tile(tile, kind), at=at)
            case Done():
                return self.text("done at once" if self.state.phase == AT_ONCE else "done")
            case Income(island):
                return self.text("income", island=self.island(island))
            case Produce(count):
                return self.producing(count)
            case Sell(beads):
                sold = dict(zip(BEADS, beads))
                return self.text("sell", beads=bead_words(sold, self.language))
            case Return(bead):
                return self.text("return", bead=counted(f"{bead} bead", 1, self.language))
            case Hire():
                return self.text("hire", hire_price(self.state))
        return self.text(_BARE[type(move)])

    def tile(self, tile: str, kind: str = "") -> str:
        return tile_words(tile, kind, self.language)

    def island(self, code: str) -> str:
        return island_name(code, self.board)

    def recruiting(self) -> str:
        shown = self.special("hostel", "shown") or self.figures["actions"]["characters_shown"]
        shown = min(shown, len(self.state.characters))
        text = translation(self.language).ngettext(
            "Recruit: see %(shown)d character, %(gold)s if you take it",
            "Recruit: see %(shown)d characters, %(gold)s if you take one",
            shown,
        )
        gold = gold_words(recruit_price(self.state), self.language)
        return text % {"shown": shown, "gold": gold}

    def producing(self, count: int) -> str:
        if not count:
            return self.text("produce 0")
        text = translation(self.language).ngettext(
            "Let %(count)d glassworks produce", "Let %(count)d glassworks produce", count
        )
        return text % {"count": count}

    # Gain besides points

    def gains(self, move: Move) -> list[str]:
        match move:
            case Sail(_, to, _):
                return [self.reached(to)]
            case Pass():
                return [self.gold(self.figures["actions"]["pass_gold"])]
            case ChooseCharacter(number):
                return [character_words(number, self.language, self.board)]
            case ChooseCard(card):
                return [card_words(card, self.language, self.board)]
            case Build("special", _, _) if self.state.cards:
                return [self.text("build special")]
            case Income(code):
                codes = [island.code for island in self.board.islands]
                return [self.gold(income(self.state, codes.index(code)))]
            case Produce(count):
                return self.produced(count) if count else [self.text("only sell")]
            case Sell(beads):
                return [self.gold(self.figures["sale_gold"][sum(beads)])]
            case Dismiss():
                pays = self.special("assembly-hall", "dismiss_pays")
                return [self.gold(pays or self.figures["prices"]["dismiss_pays"])]
        return []

    def gold(self, gold: int) -> str:
        return gold_words(gold, self.language)

    def reached(self, to: str) -> str:
        """The action of a ship's destination, and whether it would be possible then."""
        action = self.board.actions[self.board.ring.index(to)]
        name = action_names(self.language)[action]
        need, left = _needs(self.state).get(action), self.player.gold - self.state.moved
        if need is None:
            return self.text("not now", action=name, why=self.obstacle(action))
        if need > left:
            why = _obstacles(self.language)["gold"] % {
                "price": self.gold(need),
                "left": self.gold(left),
            }
            return self.text("not now", action=name, why=why)
        return name

    def obstacle(self, action: str) -> str:
        """The obstacle of an action besides gold."""
        if action == "gondolier":
            action = "docks" if self.player.hand else "hand"
        return _obstacles(self.language).get(action) or _obstacles(self.language)["stack"]

    def produced(self, count: int) -> list[str]:
        in_bag = sum(self.state.bag)
        extra = min(self.special("counting-house", "extra_beads"), in_bag - count)
        beads = counted("bead", count + extra, self.language)
        return [beads, self.text("one back")] if extra > 0 else [beads]


# Moves without parameters.
_BARE: Mapping[type[Move], str] = {
    Decline: "decline",
    Street: "street",
    Keep: "keep",
    Dismiss: "dismiss",
}
