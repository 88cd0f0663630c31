"""Clients made from `openapi.yaml` alone, as third parties would make them, in a live house."""
