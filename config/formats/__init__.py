"""How Django spells what nobody else does: the times of the admin's lists and pages, each with its zone."""
