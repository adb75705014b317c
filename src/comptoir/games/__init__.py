"""The games: one folder each, and nothing about one game anywhere else.

`comptoir.engine.registry` finds them here, and those of other packages by their entry points.
"""
