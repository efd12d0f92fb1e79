"""The command line's grammar, and the help that teaches it.

Everything that `docs/reference/cli.md` says is generated from the parsers built here.
"""

import argparse
from typing import Any, NoReturn

from codecite import __version__
from codecite.model.errors import BadInput

MOST_HITS = 1_000  # what the engine grants; more than a screen or a prompt can use

_ABOUT = """\
Ask a repository and get citations that are right on the line now.

The first `ask` in a folder indexes it, which takes seconds, and starts one engine process for that folder.
The engine keeps the index, serves every terminal and editor at once, and leaves by itself when idle.
Nothing is sent anywhere and nothing is written into the repository (but for git's hooks, where you ask for
that: `codecite hook`): the store is a folder of your user's cache directory (`codecite status` names it;
CODECITE_HOME moves it). Deleting it loses nothing but time.
"""

_EPILOG = """\
examples:
  codecite ask "where are settings validated?"
  codecite search "retry backoff" -k 20 --json
  codecite index --wait
  codecite --workspace ../other status

exit codes:
  0  done
  1  the answer is "no", or a check failed
  2  wrong usage, or an input that cannot be used
  3  something needed is missing or down
"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line with the mend, raised as `BadInput`."""

    def error(self, message: str) -> NoReturn:
        """Raise what `argparse` would print over several lines before leaving the process."""
        raise BadInput(message, f"see `{self.prog} --help`")


def build_parser() -> Parser:
    """Build the parser of the whole command line.

    `--workspace` and `--json` are understood before and after the command.
    """
    parser = Parser(
        prog="codecite",
        description=_ABOUT,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"codecite {__version__}")
    _add_common(parser, workspace=None, json=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_ask(commands)
    _add_search(commands)
    _add_index(commands)
    _add_blocks(commands)
    _add_status(commands)
    _add_doctor(commands)
    _add_eval(commands)
    _add_hook(commands)
    _add_lsp(commands)
    _add_stop(commands)
    return parser


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by name, in the order in which help lists them."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list its commands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            return dict(action.choices)
    return {}


def _add_common(parser: argparse.ArgumentParser, *, workspace: Any, json: Any) -> None:
    parser.add_argument(
        "--workspace",
        metavar="DIR",
        default=workspace,
        help="folder to work on (default: the innermost around with a store, else the repository, else here)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        default=json,
        help="print one JSON document on standard output and nothing else there",
    )


def _command(
    commands: "argparse._SubParsersAction[Parser]", name: str, summary: str, about: str, *examples: str
) -> Parser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=about,
        epilog="examples:\n" + "".join(f"  {example}\n" for example in examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    # Suppressed defaults: what stands before the command is not overwritten by what is absent after it.
    _add_common(parser, workspace=argparse.SUPPRESS, json=argparse.SUPPRESS)
    return parser


def _add_ask(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "ask",
        "answer a question with citations",
        "Answer a question about the code with numbered evidence: where, why, and a few lines of code.\n"
        "Indexes first where needed. Exit code 1 means that the repository holds no evidence.",
        'codecite ask "where are ignore files read?"',
        "codecite ask how does the scheduler retry",
        'codecite ask "哪里解析配置文件" -k 3 --json',
    )
    parser.add_argument("question", nargs="+", metavar="QUESTION", help="the question; quotes are optional")
    _add_count(parser, 8, "citations")
    parser.add_argument(
        "--no-model", action="store_true", help="evidence only, even where a language model is configured"
    )


def _add_search(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "search",
        "list the blocks that match best",
        "List ranked blocks of code and documents, one line each. Exit code 1 means that nothing matched.",
        'codecite search "retry backoff"',
        "codecite search parseRequest --path-prefix src/net/",
    )
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words, identifiers or a question")
    _add_count(parser, 10, "hits")
    parser.add_argument("--path-prefix", metavar="P", help="only files whose workspace path starts with this")


def _add_index(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "index",
        "bring the store up to date",
        "Bring the store up to date with the files on disk; only what changed is parsed again.\n"
        "Without --wait it returns once the work is queued.",
        "codecite index --wait",
        "codecite index --full --wait --json",
        "codecite index --since HEAD~20 --wait",
    )
    parser.add_argument("--full", action="store_true", help="read every file again, trusting no time stamp")
    parser.add_argument(
        "--wait", action="store_true", help="return when all that was on disk at the call is in the store"
    )
    parser.add_argument(
        "--since", metavar="COMMIT", help="compare again everything that differs from a commit"
    )


def _add_blocks(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "blocks",
        "show how files are cut into blocks",
        "List the blocks that the store holds. Every line of an indexed file is in exactly one of them.",
        "codecite blocks src/app.py",
        "codecite blocks --json",
    )
    parser.add_argument(
        "path", nargs="?", metavar="PATH", help="a file, seen from here or from the workspace (default: all)"
    )


def _add_status(commands: "argparse._SubParsersAction[Parser]") -> None:
    _command(
        commands,
        "status",
        "show what the store holds and how fresh it is",
        "Show the state of the workspace: counts, queue, embedder, last update, problems, the store's place.",
        "codecite status",
        "codecite status --json",
    )


def _add_doctor(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "doctor",
        "check the store, or explain a hit, and say how to mend it",
        "Check the store and all that it needs; say what is wrong and how to mend it.\n\n"
        "With a file, as a hit shows it, explain that file: when it was indexed, at which commit and with which\n"
        "content, what the disk says, and why it is stale, a ghost, refused, ignored or missing. With a line also\n"
        "the block that was indexed there, and where its text stands now.\n\n"
        "Exit code 1 means that something is not as it ought to be.",
        "codecite doctor",
        "codecite doctor --repair",
        "codecite doctor src/app.py:120",
        "codecite doctor src/app.py --repair",
    )
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH[:LINE]",
        help="a file, seen from here or from the workspace, and a line (default: check the store)",
    )
    parser.add_argument(
        "--repair", action="store_true", help="mend what can be mended; with a file, have it read again"
    )


def _add_eval(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "eval",
        "measure retrieval on cases of your own",
        "Run each case through `search` unchanged and print HitRate@1/3/5, Recall@5, MRR and NDCG@10,\n"
        "overall and by category. A case is one JSON object a line:\n\n"
        '  {"id": "retry-1", "query": "where are requests retried", "category": "how",\n'
        '   "relevant": [{"path": "src/net.py", "start_line": 10, "end_line": 42}]}\n\n'
        "`category` and the lines are optional. A target is met by a hit in the same file that shares a\n"
        "line with it, where both have lines.",
        "codecite eval cases.jsonl",
        "codecite eval cases.jsonl --runs after.jsonl --compare before.jsonl",
        "codecite eval cases.jsonl --min NDCG@10=0.7 --min HitRate@5=0.9",
    )
    parser.add_argument("cases", metavar="CASES.jsonl", help="cases, one JSON object a line")
    parser.add_argument("--runs", metavar="FILE", help="write what was ranked, a line for each case")
    parser.add_argument(
        "--compare", metavar="FILE", help="set the figures beside those of an earlier run file"
    )
    parser.add_argument(
        "--min",
        metavar="METRIC=X",
        action="append",
        default=[],
        type=_minimum,
        help="exit 1 when an overall figure is below X; may be given several times",
    )


def _add_hook(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "hook",
        "have git tell a running engine of commits and checkouts",
        "Put a few marked lines into git's hooks post-commit, post-merge, post-checkout and post-rewrite, or take\n"
        "them out. They tell an engine that runs already that git has moved; they start none, and git neither\n"
        "waits for them nor fails with them. Nothing needs them: the engine follows files by itself, but where a\n"
        "system passes no changes on (network drives, some containers) it would hear of a checkout later.\n\n"
        "Hooks of your own stay as they are and keep running. A hook that is no shell script, is a link or is not\n"
        "executable is left alone, and named. The folder is the one that git uses here: the repository's, shared by\n"
        "linked work trees, or `core.hooksPath`. `remove` gives every hook back byte for byte.",
        "codecite hook install",
        "codecite hook remove --json",
    )
    # `nudge` is what the hooks run: of no use to people, and so in no help.
    parser.add_argument(
        "action",
        choices=["install", "remove", "nudge"],
        metavar="install|remove",
        help="put the lines in, or take them out",
    )


def _add_lsp(commands: "argparse._SubParsersAction[Parser]") -> None:
    parser = _command(
        commands,
        "lsp",
        "run the language server for an editor",
        "Speak the Language Server Protocol on standard input and output, for any editor that can start one.",
        "codecite lsp",
        "codecite lsp --tcp 9257",
    )
    parser.add_argument(
        "--tcp", metavar="PORT", type=_port, help="listen on this port of the loopback instead, for debugging"
    )


def _add_stop(commands: "argparse._SubParsersAction[Parser]") -> None:
    _command(
        commands,
        "stop",
        "end the workspace's engine process",
        "End the engine of the workspace and return when it is gone. It also leaves by itself when idle,\n"
        "and the next command starts it again.",
        "codecite stop",
    )


def _add_count(parser: Parser, default: int, what: str) -> None:
    parser.add_argument(
        "-k", metavar="N", type=_count, default=default, help=f"at most this many {what} (default: {default})"
    )


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= MOST_HITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_HITS}")
    return number


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number from 1 to 65535")
    return number


def _minimum(text: str) -> tuple[str, float]:
    from codecite.cli.metrics import METRICS  # noqa: PLC0415 - only `eval` needs it

    name, _, number = text.partition("=")
    known = {metric.lower(): metric for metric in METRICS}
    try:
        bound = float(number)
    except ValueError:
        bound = float("nan")
    if name.lower() not in known or not 0 <= bound <= 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not METRIC=X with X from 0 to 1; METRIC: {', '.join(METRICS)}"
        )
    return known[name.lower()], bound
