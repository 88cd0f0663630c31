"""Operation of the service: health, metrics, status, retention."""
