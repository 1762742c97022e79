"""`python -m config.local`, which is what `make demo` runs; an installed package has `sunwi demo`."""

import sys

from config.local.demo import main

if __name__ == "__main__":
    sys.exit(main())
