"""Values and changes as text for admin pages."""
