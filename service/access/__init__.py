"""Access control: every function checks that the caller may see or change the row it returns.

A hidden row is `not_found`, as an unknown id is.
"""
