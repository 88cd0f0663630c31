"""Clients made from `openapi.yaml` alone, as third parties would make them, against a live site."""
