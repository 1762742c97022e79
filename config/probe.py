"""`python -m config.probe`: check that the web server of this container answers. Standard library only."""

import os
import sys
import urllib.request


def main() -> int:
    host = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].lstrip(".")
    port = os.environ.get("PORT", "8000")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/healthz", headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=2) as answer:  # noqa: S310 - our own address
            return 0 if answer.status == 200 else 1
    except OSError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command line prints
        return 1


if __name__ == "__main__":
    sys.exit(main())
