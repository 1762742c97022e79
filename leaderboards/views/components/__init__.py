"""Parts that pages are built of: rows, tables, charts, labels and sentences."""
