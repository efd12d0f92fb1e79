"""Decide whether an index holds anything that answers a question. No model takes part.

Dense scores do not decide: the nearest vector is always near something. What decides is whether a name that the
question gives is defined here, or else how much of the question's words, each weighted by its rarity here, the found
blocks of one file hold. A word that stands nowhere in the index weighs most, so a question about something else falls
short however many common words it shares with the code.
"""

from codecite.model.hits import Grounds

# Calibrated on questions that the index answers and on questions about other trades; see tests/answer/test_abstain.py.
ENOUGH = 0.45


def grounded(grounds: Grounds) -> bool:
    """Say whether there is evidence to show."""
    return bool(grounds.resolved) or grounds.coverage >= ENOUGH
