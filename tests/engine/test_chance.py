"""Chance is the same everywhere and for ever: golden values, fairness, independence."""

import hashlib
from collections import Counter

import pytest

from engine.chance import Chance, commitment, seed_from_text
from engine.errors import BadSetup

SEED = bytes(range(32))


def test_golden_values() -> None:
    """If these change, every recorded game becomes unverifiable."""
    chance = Chance(SEED, "setup")
    assert chance.below("start", 4) == 2
    assert chance.shuffled("deck", range(12)) == (3, 1, 4, 0, 5, 2, 9, 8, 7, 6, 10, 11)
    assert chance.shuffled("deck", range(12)) == (8, 3, 0, 1, 11, 9, 10, 2, 6, 5, 7, 4)
    assert [Chance(SEED, f"r{n}").below("x", 1000) for n in range(5)] == [235, 190, 410, 373, 981]


def test_the_generator_can_be_written_again_from_its_description() -> None:
    """An independent version of what engine/README.md says."""

    def numbers(scope: str, label: str, use: int) -> list[int]:
        found = []
        for block in range(40):
            data = SEED + scope.encode() + b"\0" + label.encode() + b"\0"
            data += use.to_bytes(4, "big") + block.to_bytes(4, "big")
            digest = hashlib.sha256(data).digest()
            found += [int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16, 24)]
        return found

    stream = iter(numbers("setup", "deck", 0))
    cards = list(range(109))
    for last in range(108, 0, -1):
        bound = last + 1
        number = next(n for n in stream if n < 2**64 - 2**64 % bound)
        cards[last], cards[number % bound] = cards[number % bound], cards[last]
    assert Chance(SEED, "setup").shuffled("deck", range(109)) == tuple(cards)


def test_labels_scopes_and_seeds_are_independent() -> None:
    shuffles = {
        Chance(SEED, "setup").shuffled("deck", range(30)),
        Chance(SEED, "setup").shuffled("shops", range(30)),
        Chance(SEED, "r1.t1.play.s0").shuffled("deck", range(30)),
        Chance(bytes(32), "setup").shuffled("deck", range(30)),
    }
    assert len(shuffles) == 4


def test_other_draws_do_not_shift_an_outcome() -> None:
    chance = Chance(SEED, "setup")
    chance.below("start", 4)
    assert chance.shuffled("deck", range(30)) == Chance(SEED, "setup").shuffled("deck", range(30))


def test_every_order_is_about_equally_likely() -> None:
    orders = Counter(Chance(SEED, f"scope {number}").shuffled("x", "abc") for number in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


def test_what_was_drawn_is_listed_in_order() -> None:
    chance = Chance(SEED, "setup")
    start = chance.below("start", 3)
    deck = chance.shuffled("deck", "ab", seen_by=())
    assert [tuple(draw) for draw in chance.drawn] == [("start", start, None), ("deck", deck, ())]


def test_a_seed_has_32_bytes() -> None:
    for seed in (b"", bytes(31), bytes(33)):
        with pytest.raises(BadSetup, match="32 bytes"):
            Chance(seed, "setup")


def test_there_is_nothing_to_choose_from_nothing() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Chance(SEED, "setup").below("x", 0)


def test_a_typed_seed_is_taken_or_stretched_to_32_bytes() -> None:
    assert seed_from_text("ab" * 32) == bytes.fromhex("ab" * 32)
    assert len(seed_from_text("7")) == 32
    assert seed_from_text("7") != seed_from_text("8")
    assert seed_from_text("g" * 64) == hashlib.sha256(b"laguna seed\0" + b"g" * 64).digest()


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert commitment(seed_from_text("7")) != hashlib.sha256(b"7").hexdigest()
