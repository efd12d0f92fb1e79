"""What is said of code that went missing while its file does not parse: shown apart, never among the hits."""

from typing import Any

from codecite.answer.text import say
from codecite.model.texts import Script
from codecite.ports import LedgerReader, RetainedRow
from codecite.retrieve.query import name_forms, understand

MOST_LISTED = 20  # retained blocks shown in status
MOST_SAID = 5  # told of beside an answer


def unconfirmed_json(reader: LedgerReader) -> list[dict[str, Any]]:
    """Return the first retained blocks as JSON."""
    return [
        {
            "path": row.path,
            "symbol": row.retained.symbol,
            "start_line": row.retained.start_line,
            "end_line": row.retained.end_line,
            "since": row.since,
        }
        for row in reader.retained(MOST_LISTED)
    ]


def unconfirmed_of(reader: LedgerReader, question: str) -> list[str]:
    """Return a sentence for each retained block that the question names, where no live definition bears the name."""
    if not reader.counts().retained:
        return []
    said: dict[str, None] = {}
    query = understand(question)
    for name in query.identifiers:
        forms = name_forms(name)
        if not reader.definitions_named(forms):
            lost = reader.retained_named(forms)
            said |= dict.fromkeys(_sentence(row, query.script) for row in lost)
    return list(said)[:MOST_SAID]


def _sentence(row: RetainedRow, script: Script) -> str:
    lost = row.retained
    place = f"{row.path}:{lost.start_line}-{lost.end_line}"
    return say(script, "unconfirmed", symbol=lost.symbol, place=place)
