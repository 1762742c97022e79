"""`python -m config.local`: `make demo` runs it; in an installed package it is `sunwi demo`."""

import sys

from config.local.demo import main

if __name__ == "__main__":
    sys.exit(main())
