"""Attacks that were tried on the site, each as a test. docs/security.md lists them."""
