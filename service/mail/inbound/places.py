"""Time zones by the name of a place, in the languages of the service: a city or a country.

City and country names come from the Unicode CLDR (Babel); a table has large cities that no zone is
named after.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from zoneinfo import available_timezones

from babel import Locale
from babel.core import get_global
from babel.dates import get_timezone_location

from engine.languages import LANGUAGES
from service.mail.inbound.plain_text import folded

MOST_CANDIDATES = 6

# The zones in which most people of a country live, where it has more.
_MAIN_ZONES: Mapping[str, tuple[str, ...]] = {
    "AR": ("America/Argentina/Buenos_Aires",),
    "AU": ("Australia/Sydney", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"),
    "BR": ("America/Sao_Paulo", "America/Fortaleza", "America/Manaus"),
    "CA": ("America/Toronto", "America/Halifax", "America/Winnipeg", "America/Vancouver"),
    "CL": ("America/Santiago",),
    "CN": ("Asia/Shanghai",),
    "DE": ("Europe/Berlin",),
    "EC": ("America/Guayaquil",),
    "ES": ("Europe/Madrid",),
    "MX": ("America/Mexico_City", "America/Cancun", "America/Tijuana"),
    "NZ": ("Pacific/Auckland",),
    "PT": ("Europe/Lisbon",),
    "UA": ("Europe/Kyiv",),
    "US": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
}
_CITIES: Mapping[str, tuple[str, ...]] = {
    "Europe/Berlin": (
        *("Munich", "München", "Múnich", "Hamburg", "Hamburgo", "Cologne", "Köln", "Colonia"),
        *("Frankfurt", "Stuttgart", "Düsseldorf", "Leipzig", "Dresden", "Hannover", "Bremen"),
        *("Nürnberg", "Nuremberg", "Essen", "Dortmund", "Freiburg", "Bonn", "Münster"),
    ),
    "Europe/Vienna": ("Graz", "Linz", "Salzburg", "Innsbruck"),
    "Europe/Zurich": ("Geneva", "Genf", "Ginebra", "Basel", "Basilea", "Bern", "Berna", "Lausanne"),
    "Europe/Madrid": (
        *("Barcelona", "Valencia", "Sevilla", "Seville", "Zaragoza", "Málaga", "Bilbao"),
        *("Murcia", "Granada", "Alicante", "Palma"),
    ),
    "Atlantic/Canary": ("Las Palmas", "Tenerife", "Teneriffa", "Gran Canaria"),
    "Europe/Lisbon": ("Porto", "Oporto"),
    "Europe/London": (
        *("Manchester", "Birmingham", "Liverpool", "Leeds", "Bristol", "Edinburgh", "Edimburgo"),
        *("Glasgow", "Cardiff", "England", "Scotland", "Schottland", "Wales"),
    ),
    "Europe/Paris": ("Lyon", "Marseille", "Marsella", "Toulouse", "Bordeaux", "Strasbourg", "Nice"),
    "Europe/Rome": ("Milan", "Mailand", "Milán", "Naples", "Neapel", "Turin", "Venice", "Venedig"),
    "Europe/Amsterdam": ("Rotterdam", "The Hague", "Den Haag", "Utrecht"),
    "Europe/Brussels": ("Antwerp", "Antwerpen", "Ghent", "Gent"),
    "Europe/Warsaw": ("Krakow", "Krakau", "Cracovia", "Gdansk", "Danzig"),
    "America/New_York": (
        *("Boston", "Washington", "Philadelphia", "Miami", "Atlanta", "Orlando", "Baltimore"),
    ),
    "America/Chicago": ("Houston", "Dallas", "Austin", "San Antonio", "Minneapolis", "New Orleans"),
    "America/Denver": ("Salt Lake City", "Albuquerque"),
    "America/Los_Angeles": ("San Francisco", "Seattle", "San Diego", "Las Vegas", "Portland"),
    "America/Toronto": ("Montreal", "Montréal", "Ottawa", "Quebec"),
    "America/Mexico_City": ("Guadalajara", "Puebla", "México DF"),
    "America/Sao_Paulo": ("Rio de Janeiro", "Brasilia", "Río de Janeiro"),
    "Europe/Kyiv": ("Kiew", "Kiev", "Kyiv"),
    "Asia/Kolkata": (
        "Kalkutta",
        "Calcuta",
        "Mumbai",
        "Delhi",
        "New Delhi",
        "Bangalore",
        "Chennai",
        "Hyderabad",
    ),
    "Asia/Shanghai": ("Beijing", "Peking", "Pekín", "Shenzhen"),
    "Asia/Tokyo": ("Osaka", "Kyoto"),
}


def zones_of(place: str) -> Sequence[str]:
    """The time zones that a place may be in: none if it is not known, several if it has several."""
    wanted = place.strip().casefold()
    for zone in available_timezones():
        if zone.casefold() == wanted and ("/" in zone or zone == "UTC"):
            return [zone]
    known = _zones_by_name()
    for name in (place, place.partition(",")[0], place.partition("(")[0]):
        if found := known.get(_plain(name)):
            return sorted(found)[:MOST_CANDIDATES]
    return []


def _plain(name: str) -> str:
    """The form in which places are compared: also `Zürich`, `Zuerich` and `Zurich` are equal."""
    spoken = folded(name).removeprefix("the ").removeprefix("der ").removeprefix("la ")
    for umlaut in ("ae", "oe", "ue"):
        spoken = spoken.replace(umlaut, umlaut[0])
    return " ".join(spoken.replace("-", " ").replace(".", " ").split())


@cache
def _zones_by_name() -> Mapping[str, set[str]]:
    """Zones by the names of cities, then of countries that no city is named like."""
    aliases: Mapping[str, str] = get_global("zone_aliases")
    by_city: dict[str, set[str]] = {}
    zones: set[str] = set()
    for zone in sorted(available_timezones()):
        area, _, city = zone.rpartition("/")
        if area and not area.startswith(("Etc", "posix", "right", "SystemV")):
            canonical = aliases.get(zone, zone)
            zones.add(canonical)
            by_city.setdefault(_plain(city.replace("_", " ")), set()).add(canonical)
    for zone in zones:
        for language in LANGUAGES:
            city = get_timezone_location(zone, locale=language, return_city=True)
            by_city.setdefault(_plain(city), set()).add(zone)
    for zone, cities in _CITIES.items():
        by_city |= {_plain(city): {zone} for city in cities}
    return dict(_countries(zones)) | by_city


def _countries(zones: Collection[str]) -> Iterator[tuple[str, set[str]]]:
    territories: Mapping[str, str] = get_global("zone_territories")
    by_territory: dict[str, set[str]] = {}
    for zone in zones:
        if (territory := territories.get(zone)) is not None:
            by_territory.setdefault(territory, set()).add(zone)
    for territory, found in by_territory.items():
        main = _MAIN_ZONES.get(territory)
        for language in LANGUAGES:
            name = Locale.parse(language).territories.get(territory)
            if name is not None:
                yield _plain(name), found if main is None else set(main)
