"""Accounts: sign-in, profile, absences, calendar, export and deletion."""
