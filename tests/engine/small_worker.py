"""A worker for tests: does what each request says, from an answer to a crash."""

import ctypes
import os
import sys
import time
from typing import Any

from codecite.engine.parse_pool import worker_main

_kept: list[bytes] = []


def handle(request: dict[str, Any]) -> dict[str, Any]:
    match request["do"]:
        case "echo":
            return request | {"pid": os.getpid(), "nice": os.nice(0) if hasattr(os, "nice") else 0}
        case "abort":
            os.abort()
        case "exit":
            os._exit(3)
        case "hang":  # as native code does: with the interpreter's lock held
            ctypes.PyDLL(None).sleep(60)
        case "sleep":
            time.sleep(60)
        case "raise":
            raise ValueError("no such grammar")
        case "print":
            print("a stray word")
            sys.stdout.flush()
        case "grow":
            _kept.append(b"x" * request["bytes"])
    return {"pid": os.getpid()}


if __name__ == "__main__":
    if sys.argv[1:] == ["--broken"]:
        sys.exit(4)
    worker_main(handle)
