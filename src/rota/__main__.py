"""`python -m rota` is `rota`."""

from __future__ import annotations

import sys

from rota.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
