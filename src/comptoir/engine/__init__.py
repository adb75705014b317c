"""What all games share, and no game's name.

rule.py        the mark of a rule, and the kinds of its arguments
dice.py        the only source of chance
mask.py        sets of actions, as bits
schema.py      records from a list of fields, and plain data both ways
verbs.py       what every game can do; modes.py runs it interpreted or compiled
playout.py     loops over the verbs: random play, counting
game.py        a game as the rest of Comptoir sees it
components.py  components.toml into a box
match.py       a match; matchfile.py its text form
words.py       French and English; rulebook.py the numbered rules and their check
"""
