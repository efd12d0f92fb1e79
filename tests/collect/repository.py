"""A directory with files and git at hand, and git's own word on what is in it."""

import os
import subprocess
from pathlib import Path

from codecite.adapters.disk import WorkTree
from codecite.adapters.git import GitCommand
from codecite.collect.scan import scan
from codecite.collect.walk import Scan, ScanRules

NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


class Repository:
    """A directory with files, and git at hand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments: str) -> str:
        identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.invalid",
            "-c",
            "protocol.file.allow=always",
        ]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def start(self, *arguments: str) -> "Repository":
        self.git("init", "--quiet", "--initial-branch=main", *arguments)
        return self

    def write(self, *paths: str) -> "Repository":
        """Make files with some content."""
        for path in paths:
            self.put(path, "content\n")
        return self

    def put(self, path: str, content: str | bytes) -> Path:
        target = self.root / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=all")

    def listed(self) -> set[str]:
        """Return what git lists of the work tree, submodules included, without what is no longer on disk."""
        found = set()
        for name in self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")[:-1]:
            path = self.root / name
            if path.is_dir() and not path.is_symlink() and not name.endswith("/"):
                found |= {f"{name}/{inner}" for inner in Repository(path).listed()}
            elif os.path.lexists(path):
                found.add(name)
        return found

    def scan(self, *excludes: str, limit: int = 1_000_000) -> Scan:
        rules = ScanRules(excludes=excludes, max_file_bytes=limit)
        return scan(WorkTree(self.root), GitCommand(self.root), rules)

    def check(self, *excludes: str) -> Scan:
        """Scan, and hold what was taken and what was refused against git's own list."""
        seen = self.scan(*excludes)
        taken = {stamp.path for stamp in seen.files}
        refused = {refusal.path for refusal in seen.refusals}
        assert not taken & refused
        listed = self.listed()
        folders = tuple(path for path in refused if path.endswith("/"))
        covered = {path for path in listed if path.startswith(folders)} if folders else set()
        assert taken | (refused - set(folders)) | covered == listed
        return seen
