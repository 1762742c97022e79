"""Keep Redis and SQL in step for boards: publish, reconcile, mirror, resync, rebuild and verify."""
