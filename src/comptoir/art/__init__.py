"""What the pictures of all games are made of: the palette, the parts, and what a game's `board.py` gives to a
page.

A game's `board.py` draws from a view alone, so a picture shows no more than that seat (or a spectator) may
know.
"""
