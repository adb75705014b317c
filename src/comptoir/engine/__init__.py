"""What all games share. The engine imports no game, no default module and no drawing.

Rules: plain functions over records
  rule.py         marks a function as a rule; the types of its arguments
  dice.py         the only source of randomness
  mask.py         sets of actions, as bits; counts.py: counts of things, packed into a number
  seats.py        the order of seats
  interface.py    what every game can do
  modes.py        the interface, interpreted or compiled (numba_backend.py, cache.py, precompile.py)
  scoring.py      points, and who has won
  stalling.py     rules that end a game which nobody finishes
  playout.py      loops over the interface: random play, counting

Tables that a game declares, and its records
  schema.py       records from a list of fields, and plain data both ways
  actions.py      actions by number, text, kind and operands
  invariants.py   what every position must satisfy
  components.py   components.toml into a box
  evaluation.py   evaluation.toml into weights and search settings
  observation.py  the view as a row of numbers

A game and its matches
  registry.py     which games there are
  game.py         a game as the rest of Comptoir sees it; option.py: its options
  game_check.py   what a game of another package lacks; mistakes.py: with file and line
  match.py        a match; matchfile.py, matchfile_writer.py: its text form
  story.py        a match in words: its log, and recaps of its turns (recap.py)
  worlds.py       matches in worlds that a viewer cannot tell from the true one
  forced.py       actions that can be played automatically
  view.py         what a seat may know, as plain data; scene.py: the same, for rendering
  choice.py       choices; score_sheet.py: score sheets; why.py: refusals
  simulate.py     random games by the million

Words
  words.py        French and English; notation.py: what people type, into actions; names.py: players' names
  rulebook.py     the numbered rules, and the check that each has code and tests
"""
