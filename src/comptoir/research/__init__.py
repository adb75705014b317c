"""For researchers: thousands of games at once, and the interfaces that their programs already use.

    from comptoir.research import Batch         thousands of games, stepped in one call, on a CPU or a GPU
    from comptoir.research import pettingzoo    PettingZoo
    import comptoir.research.gymnasium          Gymnasium, `comptoir/Batavia-v1` and so on
    import comptoir.research.openspiel          OpenSpiel, `python_comptoir_batavia` and so on

The last three need what `pip install '.[research]'` brings, in a clone.
"""

from comptoir.research.batch import Batch

__all__ = ["Batch"]
