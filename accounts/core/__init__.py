"""Pure rules of accounts; standard library only."""
