"""For researchers: the games in thousands at once, and behind the interfaces that their programs already use.

    from comptoir.research import Batch              thousands of games, stepped in one call, on a CPU or a GPU
    from comptoir.research import pettingzoo         PettingZoo
    import comptoir.research.gymnasium               Gymnasium, `comptoir/Batavia-v1` and so on
    import comptoir.research.openspiel               OpenSpiel, `python_comptoir_batavia` and so on

The last three need `pip install 'comptoir[research]'`.
"""

from comptoir.research.batch import Batch

__all__ = ["Batch"]
