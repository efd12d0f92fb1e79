"""Frozen values, and pure functions over text, that every other part of codecite speaks in."""
