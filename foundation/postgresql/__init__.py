"""A database ENGINE: Django's PostgreSQL backend with a cheaper check of idle connections."""
