"""What authors of games need to test them: the same code that our own games are tested with.

`comptoir check GAME` runs all checks. In tests, each is a function that raises a `BrokenPromise`;
`pytest_plugins = ["comptoir.testing.fixtures"]` in a conftest.py brings fixtures. pytest itself is needed for
those alone.
"""

from comptoir.testing.boards import check_board, check_boards
from comptoir.testing.contract import check_contract, tables_of
from comptoir.testing.faults import BrokenPromise
from comptoir.testing.golden import check_golden
from comptoir.testing.leaks import check_leaks
from comptoir.testing.position_builder import PositionBuilder

__all__ = [
    "BrokenPromise",
    "PositionBuilder",
    "check_board",
    "check_boards",
    "check_contract",
    "check_golden",
    "check_leaks",
    "tables_of",
]
