"""Mail out and mail in."""
