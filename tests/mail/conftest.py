"""Mails are tested in the same houses as the service."""

from tests.service.houses import *  # noqa: F403
