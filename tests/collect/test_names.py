"""What a name alone tells."""

import pytest

from codecite.collect.names import refuse_name, tool_folder

SECRET = [
    ".env",
    ".env.local",
    ".env.production",
    "prod.env",
    ".envrc",
    "id_rsa",
    "id_rsa.pub",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_rsa.old",
    "server.pem",
    "tls.key",
    "cert.p12",
    "cert.pfx",
    "debug.keystore",
    "app.jks",
    "vault.kdbx",
    "putty.ppk",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".bash_history",
    "credentials",
    "credentials.json",
    "credentials.yml.enc",
    "aws_credentials.csv",
    "kubeconfig",
    "kubeconfig.yaml",
    "dev.kubeconfig",
    "secrets.yml",
    "secret.json",
    "client_secret_123.json",
    "service-account.json",
    "terraform.tfstate",
    "prod.tfvars",
    "x/.aws/credentials",
    "x/.aws/config",
    "home/.kube/config",
    ".docker/config.json",
    ".ssh/known_hosts",
    "A/TLS.KEY",
]
BINARY = [
    "logo.png",
    "a.ZIP",
    "x/y.mo",
    "m.pyc",
    "font.woff2",
    "clip.mp4",
    "lib.so",
    "doc.pdf",
    "data.parquet",
    "icon.svg",
]
GENERATED = [
    "yarn.lock",
    "go.sum",
    "Cargo.lock",
    "x/Gemfile.lock",
    "pnpm-lock.yaml",
    "app.min.js",
    "app.min.css",
    "app.js.map",
    "t.snap",
]
TEMPORARY = [
    "a.py~",
    ".a.py~",
    "x/.#a.py",
    "#a.py#",
    ".a.py.swp",
    ".a.py.swo",
    "a.py.swp",
    "4913",
    ".a.py.kate-swp",
    "a.py.crswap",
    "a.py___jb_tmp___",
    "a.py___jb_old___",
    ".goutputstream-X1Y2Z3",
    ".a.py.tmp",
    "a.py.temp",
    "a.py.bak",
    "a.py.orig",
    "a.py.rej",
    "a_BACKUP_4711.py",
    "a_REMOTE_4711.py",
    "Makefile_LOCAL_4711",
    ".~lock.notes.txt#",
    "~$notes.txt",
    ".nfs000000000123abcd00000001",
    ".fuse_hidden0000000100000002",
]
ORDINARY = [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "example.env",
    "env.py",
    "environment.ts",
    "credentials.py",
    "credentials.go",
    "credentials_test.rb",
    "secrets.py",
    "secrets.md",
    "id_rsa.py",
    "kubeconfig.go",
    "keys.py",
    "key",
    "pem.py",
    "tokens.json",
    "history.py",
    "config.json",
    ".gitignore",
    "Makefile",
    "Dockerfile",
    "README",
    "png",
    "a.png.py",
    "lock.py",
    "lockfile.lock.md",
    "video.ts",
    "data.json",
    "a.b.c",
    "secrets.example.yml",
    "credentials.example.json",
    "monkey.py",
    "turkey",
    ".bashrc",
    "notes.txt",
    "main.c",
    "go.mod",
    "package.json",
    "a.swift",
    "swp.py",
    "tmp",
    "temp.py",
    "tmp.md",
    "original.py",
    "backup.sh",
    "4914",
    "app_LOCAL.py",
    "local_BASE_url.py",
    "#notes",
    "c#.md",
    "~.py",
]
CASES: list[tuple[str, str | None]] = [
    *((name, "secret") for name in SECRET),
    *((name, "binary") for name in BINARY),
    *((name, "generated") for name in GENERATED),
    *((name, "temporary") for name in TEMPORARY),
    *((name, None) for name in ORDINARY),
]


@pytest.mark.parametrize(("path", "reason"), CASES)
def test_file(path: str, reason: str | None) -> None:
    refusal = refuse_name(path)
    assert (refusal.reason if refusal else None) == reason
    assert refusal is None or (refusal.path == path and refusal.detail)


@pytest.mark.parametrize(
    "name", ["node_modules", "__pycache__", ".venv", ".tox", "x.dist-info", "a.egg-info", ".hg"]
)
def test_folder_of_a_tool(name: str) -> None:
    assert tool_folder(name)


@pytest.mark.parametrize(
    "name", ["vendor", "build", "dist", "target", "env", "venv", ".github", ".vscode", "packages"]
)
def test_folder_that_may_be_hand_written(name: str) -> None:
    assert not tool_folder(name)
