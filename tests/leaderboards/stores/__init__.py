"""The stores by themselves: scripts, links, locks."""
