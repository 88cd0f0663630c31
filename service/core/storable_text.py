"""Text of strangers in a form that every database stores."""


def storable(text: str, most: int) -> str:
    """The text without characters that cannot be stored, cut to a length."""
    return text[:most].replace("\0", "").encode(errors="replace").decode()
