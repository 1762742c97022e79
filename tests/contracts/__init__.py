"""What every store and every storage must do alike, held against the oracle."""
