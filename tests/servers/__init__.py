"""A real PostgreSQL and a real Redis for the tests, from wheels, gone when the run is over."""
