"""Web push: messages that a browser's push service delivers, also while no page of the site is open."""
