"""Learning: a network plays itself, or its searches do, and it learns from that. `comptoir train` runs it."""
