"""What running a server takes: the store, the guard at the door, monitoring."""
