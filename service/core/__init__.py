"""Foundations that every other room may use."""
