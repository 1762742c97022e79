"""`python -m config.local`, which is what `make demo` runs."""

import sys

from config.local.demo import main

if __name__ == "__main__":
    sys.exit(main())
