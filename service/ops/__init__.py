"""Operation of the service: web server, health, metrics, status, retention, moderation."""
