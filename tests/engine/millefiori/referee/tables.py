"""The cards and the board as plain tables of names."""

CARD_NUMBERS: dict[str, list[int]] = {
    "quartz": [1, 2, 3, 3, 3, 4, 5],
    "ash": [1, 2, 2, 3, 4, 4, 5],
    "lime": [1, 1, 2, 3, 4, 5, 5],
    "pigments": [1, 1, 2, 2, 3, 3, 4, 4, 5],
    "key": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5],
    "coin": [1, 2, 3, 5],
    "lion": [1, 2, 3, 5],
    "cross": [1, 2, 3, 4],
    "fish": [1, 2, 3, 4],
    "shell": [1, 2, 3, 4],
    "crab": [1, 2, 3, 5],
    "glasses": [1, 2, 3, 4, 5],
    "carafes": [1, 2, 3, 4, 5],
    "jewelry": [1, 2, 3, 4, 5],
    "swans": [1, 2, 3, 4, 5],
    "ship": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5],
}

AREA_OF_SYMBOL: dict[str, str] = {
    "quartz": "workshops",
    "ash": "workshops",
    "lime": "workshops",
    "pigments": "workshops",
    "key": "residences",
    "coin": "nobili",
    "lion": "nobili",
    "cross": "nobili",
    "fish": "populi",
    "shell": "populi",
    "crab": "populi",
    "glasses": "trade",
    "carafes": "trade",
    "jewelry": "trade",
    "swans": "trade",
    "ship": "harbor",
}

ALL_CARDS: list[str] = [
    f"{symbol}-{number}" for symbol, numbers in CARD_NUMBERS.items() for number in numbers
]

# ------------------------------------------------------------------------- workshops

WORKSHOPS_BY_SYMBOL: dict[str, list[str]] = {
    "quartz": ["W8", "W10", "W13", "W15", "W18", "W21", "W24"],
    "ash": ["W2", "W5", "W7", "W11", "W17", "W27", "W30"],
    "lime": ["W4", "W6", "W9", "W19", "W22", "W25", "W28"],
    "pigments": ["W1", "W3", "W12", "W14", "W16", "W20", "W23", "W26", "W29"],
}

WORKSHOP_NEIGHBOURS: dict[str, list[str]] = {
    "W1": ["W2", "W8", "W9"],
    "W2": ["W1", "W3", "W9", "W10"],
    "W3": ["W2", "W4", "W10", "W11"],
    "W4": ["W3", "W5", "W11", "W12"],
    "W5": ["W4", "W6", "W12", "W13"],
    "W6": ["W5", "W13"],
    "W7": ["W14", "W15"],
    "W8": ["W1", "W9", "W16"],
    "W9": ["W1", "W2", "W8", "W10", "W16", "W17"],
    "W10": ["W2", "W3", "W9", "W11", "W17"],
    "W11": ["W3", "W4", "W10", "W12", "W18"],
    "W12": ["W4", "W5", "W11", "W13", "W18", "W19"],
    "W13": ["W5", "W6", "W12", "W19", "W20"],
    "W14": ["W7", "W15", "W21", "W22"],
    "W15": ["W7", "W14", "W22", "W23"],
    "W16": ["W8", "W9", "W17", "W24"],
    "W17": ["W9", "W10", "W16", "W24"],
    "W18": ["W11", "W12", "W19", "W25", "W26"],
    "W19": ["W12", "W13", "W18", "W20", "W26", "W27"],
    "W20": ["W13", "W19", "W21", "W27", "W28"],
    "W21": ["W14", "W20", "W22", "W28", "W29"],
    "W22": ["W14", "W15", "W21", "W23", "W29", "W30"],
    "W23": ["W15", "W22", "W30"],
    "W24": ["W16", "W17"],
    "W25": ["W18", "W26"],
    "W26": ["W18", "W19", "W25", "W27"],
    "W27": ["W19", "W20", "W26", "W28"],
    "W28": ["W20", "W21", "W27", "W29"],
    "W29": ["W21", "W22", "W28", "W30"],
    "W30": ["W22", "W23", "W29"],
}

# The three spaces around each extra-card symbol; every workshop is in exactly one of them.
WORKSHOP_TRIPLES: list[list[str]] = [
    ["W1", "W8", "W9"],
    ["W2", "W3", "W10"],
    ["W4", "W11", "W12"],
    ["W5", "W6", "W13"],
    ["W7", "W14", "W15"],
    ["W16", "W17", "W24"],
    ["W18", "W25", "W26"],
    ["W19", "W20", "W27"],
    ["W21", "W28", "W29"],
    ["W22", "W23", "W30"],
]

# ------------------------------------------------------------------------ residences

# In the order in which the line is filled.
RESIDENCE_NUMBERS: dict[str, int] = {
    "R1": 2,
    "R2": 4,
    "R3": 3,
    "R4": 5,
    "R5": 1,
    "R6": 4,
    "R7": 2,
    "R8": 3,
    "R9": 1,
    "R10": 5,
    "R11": 10,
    "R12": 2,
    "R13": 3,
    "R14": 4,
    "R15": 5,
    "R16": 10,
    "R17": 1,
    "R18": 5,
    "R19": 4,
    "R20": 3,
}

# ------------------------------------------------------------- townspeople (pyramids)

PYRAMID_SPACES: dict[str, list[str]] = {
    "nobili": ["N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12"],
    "populi": ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11", "P12"],
}

PYRAMID_LEVELS: dict[int, list[str]] = {
    3: ["N1", "N2", "N3", "P1", "P2", "P3"],
    2: ["N4", "N5", "N6", "N7", "P4", "P5", "P6", "P7"],
    1: ["N8", "N9", "N10", "N11", "N12", "P8", "P9", "P10", "P11", "P12"],
}

PYRAMID_BY_SYMBOL: dict[str, list[str]] = {
    "coin": ["N1", "N6", "N9", "N12"],
    "lion": ["N2", "N4", "N7", "N10"],
    "cross": ["N3", "N5", "N8", "N11"],
    "fish": ["P2", "P4", "P7", "P10"],
    "shell": ["P1", "P6", "P9", "P12"],
    "crab": ["P3", "P5", "P8", "P11"],
}

# The two spaces directly below; the bottom level stands on nothing.
PYRAMID_SUPPORTS: dict[str, list[str]] = {
    "N1": ["N4", "N5"],
    "N2": ["N5", "N6"],
    "N3": ["N6", "N7"],
    "N4": ["N8", "N9"],
    "N5": ["N9", "N10"],
    "N6": ["N10", "N11"],
    "N7": ["N11", "N12"],
    "N8": [],
    "N9": [],
    "N10": [],
    "N11": [],
    "N12": [],
    "P1": ["P4", "P5"],
    "P2": ["P5", "P6"],
    "P3": ["P6", "P7"],
    "P4": ["P8", "P9"],
    "P5": ["P9", "P10"],
    "P6": ["P10", "P11"],
    "P7": ["P11", "P12"],
    "P8": [],
    "P9": [],
    "P10": [],
    "P11": [],
    "P12": [],
}

LEVEL_POINTS: dict[int, int] = {1: 1, 2: 3, 3: 6}

# ------------------------------------------------------------------- trade and harbor

TRADE_BY_SYMBOL: dict[str, list[str]] = {
    "glasses": ["G1", "G2", "G3", "G4", "G5"],
    "carafes": ["C1", "C2", "C3", "C4", "C5"],
    "jewelry": ["J1", "J2", "J3", "J4", "J5"],
    "swans": ["S1", "S2", "S3", "S4", "S5"],
}

TRADE_BY_HARBOR_LINE: dict[str, list[str]] = {
    "H1": ["G1", "C1", "J1", "S1"],
    "H2": ["G2", "C2", "J2", "S2"],
    "H3": ["G3", "C3", "J3", "S3"],
    "H4": ["G4", "C4", "J4", "S4"],
    "H5": ["G5", "C5", "J5", "S5"],
}

SHIPS_IN_FLEET = 3
FLEET_POINTS: dict[int, int] = {0: 0, 1: 1, 2: 3, 3: 6, 4: 10}

# ----------------------------------------------------------------- route and the rest

ROUTE_POINTS: dict[int, int] = {
    1: 1,
    2: 1,
    3: 1,
    4: 3,
    5: 1,
    6: 10,
    7: 0,
    8: 1,
    9: 5,
    10: 1,
    11: 1,
    12: 10,
    13: 10,
    14: 1,
    15: 5,
    16: 0,
    17: 1,
    18: 1,
    19: 1,
    20: 10,
}
ROUTE_EXTRA_CARDS: list[int] = [7, 16, 20]
ROUTE_END = 20

BONUS_POINTS: list[int] = [20, 15, 10, 5]
BONUS_AREAS: list[str] = ["workshops", "residences", "nobili", "populi", "trade"]

CAUSES: list[str] = [
    "workshops",
    "residences",
    "nobili",
    "populi",
    "trade",
    "harbor",
    "route",
    "bonus",
]
VIAS: list[str] = ["player", "plan", "timeout", "bot", "auto"]

DISPLAY_AT_START: dict[int, int] = {2: 9, 3: 4, 4: 9}
TURNS_PER_ROUND: dict[int, int] = {2: 3, 3: 4, 4: 4}
HAND_SIZE = 5
SUPPLY_AT_START = 27
RESERVE_AT_START = 3
