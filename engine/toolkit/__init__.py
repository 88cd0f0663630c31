"""Code that several game types share."""
