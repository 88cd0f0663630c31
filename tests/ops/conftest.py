"""Operation is tested with the same fixtures as the service."""

from tests.service.houses import *  # noqa: F403
