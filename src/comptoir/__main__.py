"""`python -m comptoir` is the command `comptoir`."""

import sys

from comptoir.cli import main

sys.exit(main())
