"""Boards in DynamoDB: the table, reads and writes (docs/storage.md)."""
