"""What the servers can do at best, without any of the product: the peers that figures are divided by."""
