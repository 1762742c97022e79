"""The OpenAPI document of the API: schemas, examples and code samples."""
