"""What all games share, and no game's name.

Rules: plain functions over records
  rule.py         the mark of a rule, and the kinds of its arguments
  dice.py         the only source of chance
  mask.py         sets of actions, as bits; counts.py: counts of things, packed into a number
  seats.py        the order of seats
  verbs.py        what every game can do
  modes.py        the verbs, run interpreted or compiled
  scoring.py      points, and who has won
  playout.py      loops over the verbs: random play, counting

Records: positions, boxes and judgements
  schema.py       records from a list of fields, and plain data both ways
  components.py   components.toml into a box
  evaluation.py    evaluation.toml into the figures that bots go by
  observation.py  what a seat knows, as a row of numbers

A game and its matches
  game.py         a game as the rest of Comptoir sees it; option.py: its options
  mistakes.py     what is wrong with a game's files, with file and line
  match.py        a match; matchfile.py: its text form
  view.py         what a seat may know, as plain data; scene.py: the same, to be told or drawn
  recap.py        turns retold; sheet.py: score sheets
  simulate.py     random games by the million

Words
  words.py        French and English; notation.py: what people type, into actions
  rulebook.py     the numbered rules, and the check that each has code and tests
"""
