"""What strangers wrote, in a form that every database takes."""


def storable(text: str, most: int) -> str:
    """The text without what cannot be stored, and not longer than this."""
    return text[:most].replace("\0", "").encode(errors="replace").decode()
