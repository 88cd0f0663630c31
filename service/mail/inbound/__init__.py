"""Incoming mail.

`intake` stores a mail before its delivery is acknowledged. The worker calls `processor`: `classify`
finds the kind of a mail and the text of its writer, `command_parser` the commands in it, and
`replies` carries them out.
"""
