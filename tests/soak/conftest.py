"""The checks of a soak run are tested with the fixtures of the service."""

from tests.service.houses import *  # noqa: F403
