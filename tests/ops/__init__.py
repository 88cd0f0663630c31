"""Processes, files and metrics of a running service."""
