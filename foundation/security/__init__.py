"""Service keys, signatures of requests, and secrets that are stored encrypted."""
