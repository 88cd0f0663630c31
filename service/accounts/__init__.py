"""Accounts: what a person does with their own."""
