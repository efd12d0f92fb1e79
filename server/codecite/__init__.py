"""Codecite: a code knowledge base that stays true while you type."""

from importlib.metadata import version

__version__ = version("codecite")
