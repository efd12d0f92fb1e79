"""The parsing worker: a child of the engine that may hang or crash without harm to anything.

`python -m codecite.engine.worker ROOT MODEL_DIGEST` reads requests on standard input and replies on standard output;
the settings of the workspace reach it the way they reach the engine.
"""

import sys
from pathlib import Path
from typing import Any

from codecite.adapters.disk import WorkTree
from codecite.engine.configuration import workspace_settings
from codecite.engine.parse_pool import worker_main
from codecite.engine.reading import read_file
from codecite.engine.wire import FileRequest


def main() -> None:
    """Serve until standard input ends."""
    root = Path(sys.argv[1])
    model_digest = sys.argv[2]
    settings, _ = workspace_settings(root)
    disk = WorkTree(root)

    def handle(request: dict[str, Any]) -> dict[str, Any]:
        return read_file(disk, FileRequest.from_json(request), settings, model_digest).to_json()

    worker_main(handle)


if __name__ == "__main__":
    main()
