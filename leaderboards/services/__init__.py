"""What changes things: one use case per file, its order of effects in plain sight."""
