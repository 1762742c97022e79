"""Base classes of all admins: audit entries, allowed lookups, pagination, validators."""
