"""What must hold in a ledger at the end of every transaction, said as questions whose answer is a list of offenders."""

import sqlite3

_SHOWN = 3  # offenders named in one line

# What is wrong, and a query for what it is wrong with.
_INVARIANTS = {
    "blocks without a file": "SELECT id FROM blocks WHERE file NOT IN (SELECT number FROM files)",
    "definitions without a file": "SELECT symbol FROM definitions WHERE file NOT IN (SELECT number FROM files)",
    "last clean texts of files that parse, or of none": """
        SELECT file FROM guards WHERE file NOT IN (SELECT number FROM files WHERE NOT clean)
    """,
    "retained blocks of files that are not guarded": """
        SELECT id FROM retained WHERE file NOT IN (SELECT file FROM guards)
    """,
    "blocks both there and retained": """
        SELECT retained.id FROM retained JOIN blocks ON blocks.file = retained.file AND blocks.symbol = retained.symbol
    """,
    "blocks without text": "SELECT id FROM blocks WHERE number NOT IN (SELECT number FROM block_texts)",
    "texts without a block": "SELECT number FROM block_texts WHERE number NOT IN (SELECT number FROM blocks)",
    "blocks missing from full text": "SELECT id FROM blocks WHERE number NOT IN (SELECT id FROM block_terms_docsize)",
    "full text without a block": "SELECT id FROM block_terms_docsize WHERE id NOT IN (SELECT number FROM blocks)",
    "files whose blocks do not hold every line exactly once": """
        SELECT path FROM (
            SELECT files.path AS path, files.lines AS lines, blocks.start_line AS start,
                coalesce(lag(blocks.end_line) OVER each, 0) AS before,
                blocks.end_line AS finish, lead(blocks.id) OVER each AS next
            FROM files LEFT JOIN blocks ON blocks.file = files.number
            WINDOW each AS (PARTITION BY files.number ORDER BY blocks.start_line)
        )
        WHERE coalesce(start, 1) <> before + 1 OR coalesce(finish, 0) < coalesce(start, 1) - (start IS NULL)
            OR (next IS NULL AND coalesce(finish, 0) <> lines)
        GROUP BY path
    """,
    "blocks that neither have a vector nor wait for one": """
        SELECT id FROM blocks WHERE embed_key <> ''
            AND embed_key NOT IN (SELECT embed_key FROM embeddings)
            AND embed_key NOT IN (SELECT embed_key FROM pending)
    """,
    "texts that wait for a vector that no block wants": """
        SELECT embed_key FROM pending
        WHERE embed_key NOT IN (SELECT embed_key FROM blocks WHERE embed_key <> '')
    """,
    "texts that wait for a vector that is there": """
        SELECT embed_key FROM pending WHERE embed_key IN (SELECT embed_key FROM embeddings)
    """,
    "paths both accepted and refused": "SELECT path FROM files WHERE path IN (SELECT path FROM refusals)",
}
_FULL_TEXT = "INSERT INTO block_terms (block_terms) VALUES ('integrity-check')"


def problems(db: sqlite3.Connection) -> list[str]:
    """Return one line for each thing that is wrong; empty when nothing is."""
    found = [f"SQLite: {line}" for (line,) in db.execute("PRAGMA integrity_check(10)") if line != "ok"]
    try:
        db.execute(_FULL_TEXT)
    except sqlite3.DatabaseError as error:
        found.append(f"full text: {error}")
    for wrong, query in _INVARIANTS.items():
        offenders = [str(row[0]) for row in db.execute(query)]
        if offenders:
            more = f" and {len(offenders) - _SHOWN} more" if len(offenders) > _SHOWN else ""
            found.append(f"{len(offenders)} {wrong}: {', '.join(offenders[:_SHOWN])}{more}")
    return found
