"""The app: tables with people and bots, in the browser."""
