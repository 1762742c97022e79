"""What moderators do: ban, restrict, void, edit, purge, and the undo of each."""
