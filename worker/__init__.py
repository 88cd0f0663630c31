"""What is done when nobody is calling: the worker calls the same functions as the API."""
