"""The team's remote of a fleet: branches `vfcc/RUN/…` are pushed there, nothing else and nowhere else.

A worker makes a clone of its own for each attempt, so that an agent there reaches neither the person's repository nor
its settings. The clone borrows the objects of the checkout.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import ConflictError, UsageError, WorkspaceError
from verifflowcc.base.git.git_command import GitResult, ask_git, change_with_git, exchange_with_git
from verifflowcc.base.text.secrets import withhold
from verifflowcc.run.store.fleet_leases import FleetAway
from verifflowcc.run.store.run_tree import RUN_NAME, branch_of

_REFUSED = ("[rejected]", "[remote rejected]", "stale info", "non-fast-forward", "fetch first")


def remote_url(root: Path, name: str) -> str:
    """Return the address of a remote. Raises UsageError where the repository has none of that name."""
    found = ask_git(root, "remote", "get-url", "--push", "--", name)
    url = os.fsdecode(found.out).strip()
    if found.code or not url:
        raise UsageError(f"run.fleet names the remote {name}, which this repository lacks", hint="git remote -v")
    if "://" in url or ":" in url.partition("/")[0] or url.startswith("/"):
        return url
    top = os.fsdecode(ask_git(root, "rev-parse", "--show-toplevel").out).strip()
    return os.path.normpath(Path(top) / url)


def remote_refs(root: Path, url: str, run: str) -> tuple[tuple[str, str], ...]:
    """Return (ref, commit) of each branch of a run on the remote. Raises FleetAway where it gives no answer."""
    found = _exchanged(root, url, "ls-remote", "--refs", "--", url, f"refs/heads/vfcc/{run}/*")
    lines = [line.partition("\t") for line in os.fsdecode(found.out).splitlines()]
    return tuple((ref, commit) for commit, _, ref in lines if ref.startswith(f"refs/heads/vfcc/{run}/"))


def push_new(root: Path, url: str, branch: str, commit: str, *, run: str, integration: str | None = None) -> None:
    """Push a commit as a branch that must not be there yet, and with it the integration branch, forwards only.

    Raises ConflictError where the branch is there or the other one would go back, FleetAway where there is no answer.
    """
    refs = [f"{commit}:refs/heads/{branch}"]
    refs += [f"{integration}:refs/heads/{branch_of(run)}"] if integration else []
    options = ("--quiet", "--no-verify", "--atomic", "--no-signed", f"--force-with-lease=refs/heads/{branch}:")
    _exchanged(root, url, "push", *options, "--", url, *refs)


def push_integration(root: Path, url: str, run: str) -> None:
    """Push a run's integration branch, forwards only. Raises as `push_new`."""
    name = f"refs/heads/{branch_of(run)}"
    _exchanged(root, url, "push", "--quiet", "--no-verify", "--no-signed", "--", url, f"{name}:{name}")


def remove_remote(root: Path, url: str, run: str) -> int:
    """Remove the branches of a run from the remote; return how many there were. Raises FleetAway."""
    refs = [ref for ref, _ in remote_refs(root, url, run)]
    if refs:
        _exchanged(root, url, "push", "--quiet", "--no-verify", "--", url, *(f":{ref}" for ref in refs))
    return len(refs)


def fetch(root: Path, url: str, branch: str, commit: str) -> None:
    """Fetch a branch, which is at this commit, without a ref of its own here. Raises FleetAway, WorkspaceError."""
    options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    _exchanged(root, url, "fetch", *options, "--", url, f"refs/heads/{branch}")
    if ask_git(root, "cat-file", "-e", f"{commit}^{{commit}}").code:
        raise WorkspaceError(f"{branch} moved on the remote, where no branch of a fleet does", hint="vfcc run resume")


def _exchanged(root: Path, url: str, *words: str) -> GitResult:
    done = exchange_with_git(root, *words)
    if done.code == 0:
        return done
    reason = withhold(done.first_line)
    if words[0] == "push" and any(each in done.err for each in _REFUSED):
        raise ConflictError(f"the remote has another state of this run: {reason}", hint="vfcc run status")
    raise FleetAway(f"the fleet's remote gives no answer: {reason}", hint=f"git ls-remote {withhold(url)}")


def make_commit(root: Path, files: Mapping[str, str], parents: Sequence[str], message: str) -> str:
    """Make a commit of a few files, of which no branch knows, and return it."""
    lines = []
    for name, text in sorted(files.items()):
        blob = _made(ask_git(root, "hash-object", "-w", "--stdin", given=text.encode("utf-8", "replace")))
        lines.append(f"100644 blob {blob}\t{name}\n")
    tree = _made(ask_git(root, "mktree", given="".join(lines).encode()))
    words = [word for parent in parents for word in ("-p", parent)]
    return _made(change_with_git(root, "commit-tree", tree, *words, "-m", message, env=RUN_NAME))


def file_in(root: Path, commit: str, name: str) -> str:
    """Return a file at the top of a commit as text; empty where it has none."""
    found = ask_git(root, "cat-file", "blob", f"{commit}:{name}")
    return found.out.decode("utf-8", "replace") if found.code == 0 else ""


def parents_of(root: Path, commit: str) -> tuple[str, ...]:
    """Return the parents of a commit."""
    return tuple(ask_git(root, "rev-list", "--parents", "-1", commit).out.decode().split()[1:])


def snapshot(top: Path, message: str) -> str:
    """Return a commit of all files of a worktree but the ignored ones, on top of what it has checked out."""
    _made(change_with_git(top, "add", "--all", "--", ":/"))
    tree = _made(change_with_git(top, "write-tree"))
    return _made(change_with_git(top, "commit-tree", tree, "-p", "HEAD", "-m", message, env=RUN_NAME))


def lay_out(top: Path, snapshot_commit: str) -> None:
    """Bring a worktree to a snapshot: what was committed is its HEAD, all else lies there uncommitted."""
    _made(change_with_git(top, "reset", "--hard", "--quiet", f"{snapshot_commit}^"))
    _made(change_with_git(top, "clean", "-ffd", "--quiet"))
    _made(change_with_git(top, "read-tree", "--reset", "-u", snapshot_commit))


def make_clone(root: Path, folder: Path) -> None:
    """Make an empty repository that borrows the objects of the one around `root`."""
    objects = os.fsdecode(ask_git(root, "rev-parse", "--path-format=absolute", "--git-path", "objects").out).strip()
    form = ask_git(root, "rev-parse", "--show-object-format").out.decode().strip() or "sha1"
    folder.mkdir(parents=True, exist_ok=True)
    _made(change_with_git(folder, "init", "--quiet", f"--object-format={form}", "--initial-branch=none", "."))
    alternates = folder / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(parents=True, exist_ok=True)
    alternates.write_bytes(os.fsencode(f"{objects}\n"))


def _made(result: GitResult) -> str:
    if result.code:
        raise WorkspaceError(f"git failed: {result.first_line}", hint="git fsck")
    return os.fsdecode(result.out).strip()
