"""Requests and responses: middleware, problem documents, JSON encoding, client addresses, uploads."""
