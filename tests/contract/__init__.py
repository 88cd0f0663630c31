"""The contract, tried by a program that knows nothing but `openapi.yaml`."""
