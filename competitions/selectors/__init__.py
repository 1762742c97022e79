"""What is read of competitions. During a freeze every answer for the public comes from the frozen copy."""
