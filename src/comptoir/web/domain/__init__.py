"""What a table is: seats, people, events. Nothing here knows of the network or the database."""
