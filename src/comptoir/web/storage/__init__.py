"""The database: its schema and migrations, and one repository per kind of data."""
