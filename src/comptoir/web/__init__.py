"""The app: tables with people and bots, in the browser. Rooms, each of which may use those before it:

domain/  what a table is: seats, people, events, lessons
ops/     the store, the guard at the door, monitoring, push and mail
view/    what one person sees: a table, a replay, a picture
live/    open tables, sockets, bots, notices to whoever is away
http/    pages, forms and the interface for machines
static/  scripts, styles and fonts; words.toml: every text of the pages
"""
