"""Channels: ways to reach a person besides mail."""
