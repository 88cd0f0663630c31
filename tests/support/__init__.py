"""Shared helpers of the tests: a test site with callers, and the check against the contract."""
