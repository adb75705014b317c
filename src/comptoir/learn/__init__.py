"""Learning: bots play themselves, and a network learns what their searches find. `comptoir train` runs it."""
