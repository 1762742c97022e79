"""Files for running Sunwi on servers: systemd units, Kubernetes manifests and the Dockerfile."""
