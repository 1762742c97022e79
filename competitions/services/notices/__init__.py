"""Services that write notices to players, defer them, and send them by e-mail."""
