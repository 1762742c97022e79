"""Where standings are kept: the only code that speaks Redis or bulk SQL."""
