"""What pins Murano down. The seeds were searched for games that show what the name says."""

from engine import murano
from engine.murano.board import own_boards
from tests.engine.golden import Golden, perft_file, playthrough_file, replay_file

OLDER = own_boards()[:-1]

# The seeds were searched on the first version of the board; old records and running games keep it.
FIRST = {"board": OLDER[0].key}
REASONS = {"tiles"}  # why a game can end

GOLDEN: dict[str, Golden] = {
    "perft.jsonl": perft_file(
        murano,
        [
            (seats, FIRST, after, depth)
            for seats in (2, 3, 4)
            for after, depth in ((0, 4), (60, 3), (150, 3), (300, 3))
        ],
    ),
    "playthrough-2.txt": playthrough_file(murano, 2, FIRST, "3", "greedy"),
    "replays/end-by-a-street-and-gold-breaks-the-tie.jsonl": replay_file(
        murano, 2, FIRST, "45", "random"
    ),
    "replays/end-by-searching.jsonl": replay_file(murano, 2, FIRST, "353", "random"),
    "replays/special-building-at-once.jsonl": replay_file(murano, 2, FIRST, "273", "random"),
    "replays/nothing-built-at-once.jsonl": replay_file(murano, 2, FIRST, "225", "random"),
    "replays/sale-with-a-studio.jsonl": replay_file(murano, 2, FIRST, "42", "random"),
    "replays/counting-house-and-lighthouse.jsonl": replay_file(murano, 2, FIRST, "94", "random"),
    "replays/character-for-gold.jsonl": replay_file(murano, 2, FIRST, "291", "random"),
    "replays/tie.jsonl": replay_file(murano, 2, FIRST, "307", "random"),
    "replays/3-seats-greedy.jsonl": replay_file(murano, 3, FIRST, "5", "greedy"),
    "perft-of-the-newest-board.jsonl": perft_file(
        murano, [(seats, {}, after, 3) for seats in (2, 3, 4) for after in (0, 60)]
    ),
    "replays/newest-board.jsonl": replay_file(murano, 2, {}, "1", "greedy"),
    "replays/4-seats-greedy.jsonl": replay_file(murano, 4, FIRST, "1", "greedy"),
}
