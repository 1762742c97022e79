"""Second factors: authenticator apps, passkeys, recovery codes, and their removal."""
