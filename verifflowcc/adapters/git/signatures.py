"""Who stands behind a commit: its signature, and who added a file."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

from verifflowcc.adapters.actor import clean_name
from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.git.settings import read_settings
from verifflowcc.errors import UsageError, WorkspaceError
from verifflowcc.records import dataclass

_UNSIGNED = "it is not signed"
_STATES = {
    "B": "its signature is bad",
    "U": "its key is not one that is trusted here",
    "X": "its signature has expired",
    "Y": "its key has expired",
    "R": "its key was revoked",
    "E": "its signature cannot be checked: the key is missing",
    "N": _UNSIGNED,
}
_MISSING = re.compile(r"cannot run ([^/\s]+): No such file or directory")
"""How git reports that the program that it checks signatures with is not on PATH."""

_CHECKERS = (("gpg.program", "gpg"), ("gpg.x509.program", "gpgsm"), ("gpg.ssh.program", "ssh-keygen"))


@dataclass(frozen=True, slots=True)
class VerifiedCommit:
    """A commit and what git says of its signature; `reason` is a clause, also where the signature is good.

    `signed` is true for a signature that is bad, or that could not be checked, as well.
    """

    sha: str
    author: str
    message: str
    signed: bool
    good: bool
    reason: str
    email: str = ""


def verified_commit(root: Path, revision: str) -> VerifiedCommit:
    """Return the commit with its signature judged by git, in the person's own keys or allowed signers.

    Good is a signature that git verifies with a key that it trusts, made by the commit's own author: who signs what
    another is said to have written vouches for themself alone. Raises UsageError where there is no such commit, and
    WorkspaceError outside of git.
    """
    sha = _resolve(root, revision)
    checkers = _checkers(root)
    result = ask_git(
        root,
        "log",
        "-1",
        "--no-mailmap",
        "--no-color",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=%an%x00%ae%x00%G?%x00%GS%x00%B",
        sha,
        "--",
        settings=checkers,
    )
    if result.code:
        raise WorkspaceError(f"git cannot show the commit {sha}: {result.first_line}", hint=f"git show {sha}")
    name, email, state, signer, message = result.out.decode("utf-8", "replace").removesuffix("\n").split("\0", 4)
    problem = _problem(root, sha, state, checkers)
    if not problem and not _is_author(signer, name, email):
        problem = f"it is signed by {clean_name(signer)}, and its author is {clean_name(name)} <{clean_name(email)}>"
    reason = problem or f"signed by {clean_name(signer)}"
    return VerifiedCommit(
        sha=sha,
        author=clean_name(name),
        message=message.rstrip("\n"),
        signed=problem != _UNSIGNED,
        good=not problem,
        reason=reason,
        email=clean_name(email),
    )


def added_by(root: Path, path: str, *, or_removed: bool = False) -> tuple[str, str, str] | None:
    """Return the commit that last added the file at `path`, relative to `root`: its id, its author's name and e-mail.

    None where the file is not in the commit that is checked out; with `or_removed`, where it never was in its history.
    Raises WorkspaceError where git cannot tell.
    """
    if not in_repository(root):
        return None
    result = ask_git(
        root,
        "--literal-pathspecs",
        "log",
        "-1",
        "-c",
        # Without the full history git follows one parent of a merge, which may never have had a file that is gone.
        *(("--diff-filter=A", "--full-history") if or_removed else ("--diff-filter=AD",)),
        "--no-renames",
        "--name-status",
        "-z",
        "--no-mailmap",
        "--no-color",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=%H%x00%an%x00%ae%x00",
        "--",
        path,
    )
    if result.code:
        if "does not have any commits" in result.err or "not a git repository" in result.err:
            return None
        raise WorkspaceError(f"git cannot tell who added {path}: {result.first_line}", hint=f"git log -- {path}")
    sha, name, email, *rest = (*result.out.decode("utf-8", "replace").split("\0"), "", "", "")
    added = next((part.strip() for part in rest if part.strip()), "")
    return (sha, clean_name(name), clean_name(email)) if added.startswith("A") else None


def _resolve(root: Path, revision: str) -> str:
    result = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if "not a git repository" in result.err:
        raise WorkspaceError(f"{root} is in no git repository, so no commit is signed", hint="git init")
    if result.code:
        raise UsageError(f"git has no commit {revision}", hint="git log --oneline")
    return result.out.decode("ascii").strip()


def _checkers(root: Path) -> tuple[str, ...]:
    """Return settings that name the programs which check signatures, as the machine has them, not the repository."""
    programs = dict(_CHECKERS)
    for each in read_settings(root):
        if each.of_machine and each.key in ("gpg.openpgp.program", *programs):
            programs[each.key.replace("gpg.openpgp.", "gpg.")] = each.value
    programs["gpg.openpgp.program"] = programs["gpg.program"]
    return tuple(f"{key}={value}" for key, value in programs.items())


def _problem(root: Path, sha: str, state: str, checkers: tuple[str, ...]) -> str:
    """Return why the signature is not good; nothing where it is."""
    result = ask_git(root, "verify-commit", "--", sha, settings=checkers)
    if result.code == 0 and state == "G":
        return ""
    if result.tells_why:
        missing = _MISSING.fullmatch(result.first_line)
        why = f"{missing[1]} is not installed" if missing else result.first_line
        return f"its signature cannot be checked: {why}"
    return _STATES.get(state, "git does not verify its signature")


def _is_author(signer: str, name: str, email: str) -> bool:
    """Say whether a signer is the author: `Name <address>` of a gpg key, or what an allowed signers file has for a key.

    The latter is an address as a rule, possibly with `*` and `?`, or a bare name.
    """
    address = signer.rpartition("<")[2].removesuffix(">").lower()
    return bool(signer) and (fnmatchcase(email.lower(), address) or signer == name)
