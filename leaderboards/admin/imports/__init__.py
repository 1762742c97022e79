"""The admin of imports: upload, confirm, undo."""
