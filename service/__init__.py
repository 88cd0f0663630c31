"""The service: people, tables and moves, stored and served."""
