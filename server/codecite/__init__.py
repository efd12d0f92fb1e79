"""Codecite: a code knowledge base that stays true while you type."""

__version__ = "0.1.0"
