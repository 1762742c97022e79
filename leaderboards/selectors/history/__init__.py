"""Earlier ranks: final ranks of closed periods, and ranks since the last snapshot."""
