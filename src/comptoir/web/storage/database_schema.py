"""The tables of the database. `migrations/` brings older databases to this shape."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, MetaData


class StoredOpponents(sa.types.TypeDecorator[str]):
    """Kinds of opponents. The column was made when "bots" was called "alone", and still says so."""

    impl, cache_ok = sa.Text, True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        return "alone" if value == "bots" else value

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:
        return "bots" if value == "alone" else value


# Where `key` is given, the name in the code is newer than the column.
schema = MetaData()
tables = sa.Table(
    "tables",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("game", sa.Text, nullable=False),
    Column("state", sa.Text, nullable=False),
    Column("open", sa.Boolean, nullable=False),
    Column("version", sa.Integer, nullable=False),
    Column("names", sa.Text, nullable=False),
    Column("people", sa.Text, nullable=False),
    Column("turn", sa.Integer),
    Column("turn_person", sa.Text),
    Column("due", sa.Double),
    Column("updated", sa.Double, nullable=False),
)
events = sa.Table(
    "events",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("version", sa.Integer, primary_key=True, autoincrement=False),
    Column("kind", sa.Text, nullable=False),
    Column("seat", sa.Integer),
    Column("person", sa.Text),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
)
sitters = sa.Table(
    "sitters",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
)
people = sa.Table(
    "people",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("name", sa.Text, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
)
sessions = sa.Table(
    "sessions",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("id", sa.Text, primary_key=True),
    Column("device", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
    Column("seen", sa.Double, nullable=False),
    Column("ended", sa.Double),
)
hours = sa.Table(
    "hours", schema, Column("person", sa.Text, primary_key=True), Column("hours", sa.Text, nullable=False)
)
archives = sa.Table(
    "archives",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("rules", sa.Integer, nullable=False),
    Column("box", sa.Text, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
)
results = sa.Table(
    "results",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    Column("person", sa.Text),  # none once that person has deleted it
    Column("game", sa.Text, nullable=False),
    Column("ended", sa.Double, nullable=False),
    Column("players", sa.Integer, nullable=False),
    Column("place", sa.Integer, nullable=False),
    Column("winners", sa.Integer, nullable=False),
    Column("points", sa.Integer, nullable=False),
    Column("company", StoredOpponents, key="opponents", nullable=False),
    Column("level", sa.Text),
    Column("aside", sa.Text, key="excluded", nullable=False),
    Column("climbs", sa.Boolean, key="counts_for_ladder", nullable=False),
    Column("sheet", sa.Text, nullable=False),
)
thoughts = sa.Table(
    "thoughts",
    schema,
    Column("id", sa.Text, primary_key=True),
    Column("edition", sa.Text, nullable=False),
    Column("lane", sa.Text, nullable=False),
    Column("start", sa.Double, nullable=False),
    Column("cost", sa.Double, nullable=False),
    Column("asked", sa.Double, nullable=False),
    Column("game", sa.Text, nullable=False),
    Column("components", sa.Text, nullable=False),
    Column("level", sa.Text, nullable=False),
    Column("seed", sa.Text, nullable=False),
    Column("ply", sa.Integer, nullable=False),
    Column("views", sa.LargeBinary, nullable=False),
)
subscriptions = sa.Table(
    "subscriptions",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("session", sa.Text, primary_key=True),
    Column("endpoint", sa.Text, nullable=False, unique=True),
    Column("key", sa.LargeBinary, nullable=False),
    Column("auth", sa.LargeBinary, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("made", sa.Double, nullable=False),
)
addresses = sa.Table(
    "addresses",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("address", sa.Text, nullable=False),
    Column("lang", sa.Text, nullable=False),
    Column("confirmed", sa.Double),
)
noticed = sa.Table(
    "noticed",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("table_id", sa.Text, primary_key=True),
    Column("by", sa.Text, primary_key=True),
    Column("what", sa.Integer, nullable=False),
)
sayings = sa.Table(
    "sayings",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("n", sa.Integer, primary_key=True, autoincrement=False),
    Column("seat", sa.Integer, nullable=False),
    Column("person", sa.Text, nullable=False),
    Column("name", sa.Text, nullable=False),
    Column("phrase", sa.Text, nullable=False),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
)
mutes = sa.Table(
    "mutes",
    schema,
    Column("person", sa.Text, primary_key=True),
    Column("muted", sa.Text, primary_key=True),
)
reports = sa.Table(
    "reports",
    schema,
    Column("table_id", sa.Text, primary_key=True),
    Column("n", sa.Integer, primary_key=True, autoincrement=False),
    Column("name", sa.Text, nullable=False),
    Column("text", sa.Text, nullable=False),
    Column("at", sa.Double, nullable=False),
    Column("reported", sa.Double, nullable=False),
    Column("person", sa.Text, nullable=False),  # who wrote it
)
reviews = sa.Table(
    "reviews",
    schema,
    Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
    Column("done", sa.Boolean, nullable=False),
    Column("at", sa.Double, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
)
kept = sa.Table(
    "kept", schema, Column("name", sa.Text, primary_key=True), Column("value", sa.LargeBinary, nullable=False)
)

# in which someone who deletes themselves has had rows
PERSONAL_TABLES = (
    *(people, hours, sessions, sitters, tables, events, archives, results),
    *(subscriptions, addresses, noticed, sayings, mutes, reports),
)
