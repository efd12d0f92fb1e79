"""What can go wrong, as one tree.

    CodeciteError            one clear line, the mend, and the exit code a terminal gets
    |- BadInput              2  wrong usage or an input that cannot be used
    |- Unavailable           3  something needed is missing or down
    |  |- StoreLocked        3  the store belongs to another engine or user
    |  |- StoreDamaged       3  the ledger is damaged: the next engine sets it aside and builds it anew
    |  |- VectorsDamaged     3  the vector store is damaged: it is filled again from the ledger
    |  `- EngineGone         3  the engine process ended or could not be started
    |- NotWritten            1  files of the workspace that the store could not take
    `- Cancelled                the caller took the request back

Every error that a user can meet is one of these; anything else is a defect and is logged with its traceback.
"""


class CodeciteError(Exception):
    """A failure with a message of one line and, where there is one, what to do about it."""

    code = "error"
    exit_code = 1

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend


class BadInput(CodeciteError):
    """The request cannot be carried out as it was put."""

    code = "bad-input"
    exit_code = 2


class Unavailable(CodeciteError):
    """Something that the request needs is missing or down."""

    code = "unavailable"
    exit_code = 3


class StoreLocked(Unavailable):
    """Another process or another user owns the store."""

    code = "store-locked"


class StoreDamaged(Unavailable):
    """The ledger cannot be trusted any more. Its engine leaves; the next one sets it aside and reads the files anew."""

    code = "store-damaged"


class VectorsDamaged(Unavailable):
    """The vector store failed in a way that a new one mends. The engine sets it aside and fills another."""

    code = "vectors-damaged"


class EngineGone(Unavailable):
    """The engine process ended, or could not be started."""

    code = "engine-gone"


class NotWritten(CodeciteError):
    """The store could not take these files; it has the others."""

    code = "not-written"


class Cancelled(CodeciteError):
    """The request was taken back before it was done."""

    code = "cancelled"


KINDS: dict[str, type[CodeciteError]] = {
    kind.code: kind
    for kind in (
        CodeciteError,
        BadInput,
        Unavailable,
        StoreLocked,
        StoreDamaged,
        VectorsDamaged,
        EngineGone,
        NotWritten,
        Cancelled,
    )
}
