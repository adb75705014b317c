"""Tables in use in this process: open tables, sockets, bots and their compiling."""
