"""Pack values and times into the scores and members that Redis sorts by."""
