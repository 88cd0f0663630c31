"""The settings of the app that runs."""

from flask import current_app

from service.core.config import Settings


def settings() -> Settings:
    """What `create_app` was given."""
    found: Settings = current_app.config["LAGUNA"]
    return found
