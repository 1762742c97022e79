"""Health, readiness, system checks and Prometheus metrics."""
