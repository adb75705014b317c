"""A market game for tests of what is derived: fields by seat and by good, a deck, and hidden hands."""
