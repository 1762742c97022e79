"""Files and commands for the servers of the Compose file: secrets, Redis users, database roles, image digests."""
