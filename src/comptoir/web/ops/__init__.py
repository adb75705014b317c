"""Operating a server: HTTP limits, monitoring, mail, Web Push, backups and the supervisor of processes."""
