"""Background work: the worker calls the same functions of the service as the API."""
