"""The OpenAPI schemas of the competition endpoints."""
