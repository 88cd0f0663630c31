"""The only way to rows: every function checks who asks and what they may see.

What somebody may not see does not exist for them: the answer is `not_found`, as for an id that
never was.
"""
