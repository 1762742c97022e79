"""Attacks that were tried on the site, each as a test. docs/security/attacks.md lists them."""
