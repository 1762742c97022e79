"""clients/python against the real site."""
