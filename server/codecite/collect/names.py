"""What a name alone tells: secrets, binary formats, lock files, leftovers, folders of tools. Nothing here reads a file.

The lists hold what is sure. A name that may just as well be hand-written code (`vendor`, `build`, `credentials.py`)
is not in them: git's ignore rules and what a file holds decide there.
"""

import re

from codecite.model.files import Refusal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Folders that tools fill, by name. Others are known by a file that marks them, see MARKERS.
_TOOL_FOLDERS = _words(
    """
    node_modules bower_components jspm_packages __pycache__ __pypackages__ site-packages
    .venv .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis .ipynb_checkpoints
    .gradle .terraform .terragrunt-cache .parcel-cache .turbo .nuxt .next .svelte-kit .angular .yarn .pnpm-store
    .dart_tool .bundle .stack-work .cabal-sandbox .elixir_ls .bloop .metals .vs .ccls-cache .cache
    .hg .svn .bzr .jj .sl _darcs CVS
    """
)
_TOOL_FOLDER_ENDINGS = (".dist-info", ".egg-info")

# A file in a folder that says a tool made the folder: name -> (how its content begins, what the folder is).
MARKERS: dict[str, tuple[bytes, str]] = {
    "pyvenv.cfg": (b"", "a Python virtual environment"),
    # https://bford.info/cachedir/
    "CACHEDIR.TAG": (b"Signature: 8a477f597d28d172789f06886806bc55", "a cache"),
}

_SAMPLE = re.compile(r"(?:^|[._-])(?:example|sample|template|dist|defaults?|schema|tpl)\b", re.IGNORECASE)
_SECRET = re.compile(
    r"""
    \.env | \.env\..+ | .+\.env | \.envrc
  | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?
  | .+\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|pkcs12|ovpn|kubeconfig|tfstate|tfvars|agekey)
  | .+\.tfstate\..+ | .+\.auto\.tfvars\.json
  | [._]netrc | \.npmrc | \.pypirc | \.git-credentials | \.htpasswd | \.pgpass | \.my\.cnf | \.s3cfg | \.boto
  | \.dockercfg | \.dockerconfigjson | \.vault-token | \.vault_pass.* | \.terraformrc | \.renviron | \.rediscli_auth
  | \..+_history
  | kubeconfig(?:[._-].*)? | credentials?(?:[._-].*)? | .+[._-]credentials?(?:\.json|\.ya?ml|\.ini|\.toml|\.txt|\.csv)?
  | secrets?\.(?:json|ya?ml|toml|ini|txt|properties|enc|yml\.enc) | client_secrets?.*\.json
  | service[_-]?account.*\.json
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# Names that begin like a secret but are programs or prose about it.
_PROGRAM = re.compile(
    r".*\.(?:py|pyi|pyx|rb|rs|go|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|java|kt|kts|scala|groovy|cs|fs|vb|swift|m|mm"
    r"|c|h|cc|cpp|cxx|hh|hpp|hxx|php|pl|pm|lua|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nim|sh|bash|ps1|sql|proto|graphql"
    r"|html?|css|scss|md|mdx|rst|adoc|tf|feature|spec)",
    re.IGNORECASE | re.DOTALL,
)
_FOLDER_SECRETS = re.compile(
    r"(?:.*/)?(?:\.aws/.*|\.kube/config|\.docker/config\.json|\.ssh/.*|\.gnupg/.*)", re.DOTALL
)

_BINARY = _words(
    """
    png jpg jpeg jfif gif bmp ico cur icns webp avif heic heif tif tiff psd eps xcf svg svgz
    mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac wma aiff avi mkv mov mpg mpeg webm wmv flv mid midi
    zip gz tgz bz2 tbz tbz2 xz txz zst lz lz4 lzma 7z rar tar jar war ear aar apk ipa whl egg nupkg gem crate deb rpm
    dmg iso msi cab vsix xpi crx
    exe dll so dylib a o pdb class pyc pyo pyd elc beam wasm ko
    ttf otf ttc woff woff2 eot fon pfb
    pdf doc docx docm xls xlsx xlsm xlsb ppt pptx odt ods odp rtf epub mobi
    sqlite sqlite3 db3 mdb accdb dbf frm ibd rdb
    mo gmo pickle pkl npy npz h5 hdf5 parquet feather arrow avro orc onnx pt pth ckpt safetensors tflite gguf ggml
    rdata rds swf fla blend fbx glb stl dae 3ds unitypackage uasset umap
    shp shx gpkg mbtiles tfrecord pcap pcapng dmp cer der p7b p7c gpg pgp
    """
)
_LOCK_FILES = _words(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml
    cargo.lock go.sum go.work.sum gopkg.lock glide.lock
    composer.lock gemfile.lock podfile.lock cartfile.resolved package.resolved pubspec.lock mix.lock rebar.lock
    packages.lock.json project.assets.json paket.lock gradle.lockfile buildscript-gradle.lockfile
    flake.lock .terraform.lock.hcl module.bazel.lock chart.lock
    """
)
# What editors and tools write beside a file while they save, merge or edit it, or leave there as its old text.
_LEFTOVER = re.compile(
    r"""
    .*~ | \.\#.* | \#.*\# | \.~lock\..*\# | ~\$.*             # Emacs, vim and nano; office programs
  | .+\.(?:sw[a-p]|kate-swp|crswap) | 4913                    # vim's swap files and its trial of a folder; Kate; Chrome
  | .+___jb_(?:tmp|old|bak)___ | \.goutputstream-\w+         # JetBrains; GLib
  | .+\.(?:tmp|temp|bak|backup|orig|rej)
  | .+_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+(?:\.\w+)?            # git mergetool
  | \.nfs[0-9a-f]{16,} | \.fuse_hidden[0-9a-f]+             # deleted, but open somewhere
    """,
    re.VERBOSE | re.DOTALL,
)
_GENERATED = re.compile(r".*\.(?:map|snap|min\.(?:js|mjs|cjs|css))", re.IGNORECASE | re.DOTALL)


def tool_folder(name: str) -> str:
    """Say which tool's folder this name is; "" for a folder that may hold the workspace's own files."""
    if name in _TOOL_FOLDERS or name.endswith(_TOOL_FOLDER_ENDINGS):
        return "dependencies, caches or metadata of a tool"
    return ""


def refuse_name(path: str) -> Refusal | None:
    """Refuse a file whose name alone settles that it is not to be indexed; None where its content has to be seen."""
    name = path.rpartition("/")[2]
    if _is_secret(path, name):
        return Refusal(path, "secret", "a name that usually holds keys or passwords")
    extension = name.rpartition(".")[2].lower() if "." in name[1:] else ""
    if extension in _BINARY:
        return Refusal(path, "binary", f"a .{extension} file")
    if name.lower() in _LOCK_FILES:
        return Refusal(path, "generated", "a lock file")
    if _LEFTOVER.fullmatch(name):
        return Refusal(path, "temporary", "the name of a temporary or backup file")
    if _GENERATED.fullmatch(name):
        return Refusal(path, "generated", "the name of a tool's output")
    return None


def _is_secret(path: str, name: str) -> bool:
    if _FOLDER_SECRETS.fullmatch(path):
        return True
    return bool(_SECRET.fullmatch(name)) and not _PROGRAM.fullmatch(name) and not _SAMPLE.search(name)
