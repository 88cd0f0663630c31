"""Telling people and programs what happened."""
