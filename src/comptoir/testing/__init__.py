"""What authors of games need to test them: the same code that our own games are tested with."""

from comptoir.testing.contract import check_contract, tables_of
from comptoir.testing.faults import BrokenPromise

__all__ = ["BrokenPromise", "check_contract", "tables_of"]
