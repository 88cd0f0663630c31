"""Settings of the current app."""

from flask import current_app

from service.core.config import Settings


def settings() -> Settings:
    found: Settings = current_app.config["LAGUNA"]
    return found
