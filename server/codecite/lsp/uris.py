"""URIs of files and the paths they name, both ways, for every name that a file can have.

`to_path(to_uri(path)) == path` for every normal absolute path: the bytes of a name are percent-encoded, so
`%`, `#`, `?`, a backslash, a newline, either Unicode normal form and bytes that are no UTF-8 all come back as
they were. Anything that is not plainly a file (another scheme, a query or fragment, a NUL, a relative path)
has no path.

`windows` says whose paths are meant; it is the running system's unless a caller says otherwise.
"""

import ntpath
import os
import posixpath
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote_to_bytes

WINDOWS = os.name == "nt"

# RFC 3986, appendix B, with a scheme required.
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)([?#].*)?", re.DOTALL)
_DRIVE = re.compile(r"/?([A-Za-z]):(?=[/\\]|\Z)")


def to_path(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """Return the absolute, normal path that a `file:` URI names, or None where it names no file.

    On Windows separators are backslashes and the drive letter is a capital, as the system itself reports it.
    """
    match = _URI.fullmatch(uri)
    if not match or match[1].lower() != "file" or match[4]:
        return None
    path = _decode(match[3], windows=windows)
    host = _decode(match[2] or "", windows=windows)
    if "\0" in path + host or not path.startswith("/"):
        return None
    if host and host.lower() != "localhost":
        path = f"//{host}{path}"
    elif windows and (drive := _DRIVE.match(path)):
        path = f"{drive[1].upper()}:{path[drive.end() :] or '/'}"
    return ntpath.normpath(path) if windows else posixpath.normpath(path)


def to_uri(path: str, *, windows: bool = WINDOWS) -> str:
    """Return the URI of an absolute path; a share or a path of WSL has its host as authority."""
    if windows:
        path = path.replace("\\", "/")
    if windows and (drive := _DRIVE.match(path)):
        return f"file:///{drive[1]}:{_encode(path[drive.end() :], windows=windows)}"
    if path.startswith("//"):
        return f"file:{_encode(path, windows=windows)}"
    return f"file://{_encode(path, windows=windows)}"


def child_uri(folder_uri: str, relative: str, *, windows: bool = WINDOWS) -> str:
    """Return the URI of a file below a folder, keeping the spelling in which the client named the folder."""
    return f"{folder_uri.rstrip('/')}/{_encode(relative, windows=windows)}"


def roots(folders: Sequence[str], root_uri: str | None, root_path: str | None) -> list[str]:
    """Return the URIs of the folders that `initialize` opens: the list, else the older ways to name one."""
    if folders:
        return list(folders)
    if root_uri:
        return [root_uri]
    return [to_uri(root_path)] if root_path else []


def path_key(path: str, *, windows: bool = WINDOWS) -> str:
    """Return the one key of a file, however its path was spelled; its separators are `/`.

    Only the letter of a drive is folded; the rest keeps its case. It is folded on every system, since a
    client may run on another one than the server.
    """
    drive = _DRIVE.match(path)
    key = f"{drive[1].lower()}:{path[drive.end() :]}" if drive else path
    return key.replace("\\", "/") if drive or windows else key


def is_within(key: str, folder_key: str) -> bool:
    """Say whether a file's key lies below a folder's key."""
    return key.startswith(folder_key.rstrip("/") + "/")


def _encode(path: str, *, windows: bool) -> str:
    # POSIX names are bytes: what is no UTF-8 arrives as surrogate escapes. Windows names are UTF-16, lone
    # ones allowed.
    return quote(path.encode("utf-8", "surrogatepass" if windows else "surrogateescape"), safe="/")


def _decode(text: str, *, windows: bool) -> str:
    data = unquote_to_bytes(text.encode("utf-8", "surrogatepass"))
    if not windows:
        return data.decode("utf-8", "surrogateescape")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
