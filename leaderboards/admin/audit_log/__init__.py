"""The admin of the audit log: filters, values as text, export."""
