"""`python -m pipeline.tools.measure`, and the start of the kit packed into one file (see pack.py)."""

from __future__ import annotations

import sys

from pipeline.tools.measure import cli

if __name__ == "__main__":
    sys.exit(cli.main(sys.argv[1:]))
