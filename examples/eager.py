"""The bot of docs/bots.md: of all it may do, it does the last.

Play against it: comptoir play batavia --bots examples/eager.py:Eager
"""

from comptoir.bots import Bot
from comptoir.engine.view import View


class Eager(Bot):
    def choose(self, view: View) -> str:
        return view["actions"][-1]
