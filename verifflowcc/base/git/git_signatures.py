"""Who vouches for a commit: its signature, judged by what this machine trusts, and who added a file."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_commit import GitSetting, read_settings
from verifflowcc.base.git.git_place import in_repository, top_of
from verifflowcc.base.process.acting import clean_name
from verifflowcc.base.records import dataclass

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

_SIGNERS = "gpg.ssh.allowedsignersfile"
_REVOKED = "gpg.ssh.revocationfile"
_DEFAULTS = {
    "gpg.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.mintrustlevel": "undefined",
    _SIGNERS: os.devnull,
    _REVOKED: "",
}
"""What decides whether a signature is good, each as git has it where nothing is set: no repository sets any of them.

Who can write to a repository could else trust a key of their own making, or have a program of their own judge it.
"""
_NO_SIGNERS = "no ssh key is trusted on this machine: gpg.ssh.allowedSignersFile"
TRUST_STEP = "git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers"
"""The setting to make where ssh keys are to be trusted; the file is the person's own, outside of every repository."""


@dataclass(frozen=True, slots=True)
class VerifiedCommit:
    """A commit and what git says of its signature; `reason` is a clause, also where the signature is good.

    `signed` is true for a signature that is bad, or that could not be checked, as well. `key` is the fingerprint of the
    key, where git has it; `signer` is the name or address that the key is trusted for, in a good signature. `step` is
    the command that would help, where there is one.
    """

    sha: str
    author: str
    message: str
    signed: bool
    good: bool
    reason: str
    email: str = ""
    key: str = ""
    step: str = ""
    signer: str = ""


def verified_commit(root: Path, revision: str) -> VerifiedCommit:
    """Return the commit with its signature judged by git, by the keys that this machine trusts.

    Good is a signature that git verifies with a key that the global or system configuration trusts, made by the
    commit's own author: who signs what another is said to have written vouches for themself alone. Raises UsageError
    where there is no such commit, and WorkspaceError outside of git.
    """
    sha = _resolve(root, revision)
    machine = tuple(each for each in read_settings(root) if each.of_machine)
    untrusted = _no_signers(root, machine)
    judges = tuple(_judges(machine, with_signers=not untrusted))
    result = ask_git(
        root,
        "log",
        "-1",
        "--no-mailmap",
        "--no-color",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=%an%x00%ae%x00%G?%x00%GS%x00%GF%x00%B",
        sha,
        "--",
        settings=judges,
    )
    if result.code:
        raise WorkspaceError(f"git cannot show the commit {sha}: {result.first_line}", hint=f"git show {sha}")
    name, email, state, signer, key, message = result.out.decode("utf-8", "replace").removesuffix("\n").split("\0", 5)
    problem, step = _problem(root, sha, state, judges), ""
    if problem and state == "U" and untrusted and _is_ssh(root, sha):
        problem, step = untrusted, TRUST_STEP
    problem = problem or _not_the_author(signer, name, email)
    reason = problem or f"signed by {clean_name(signer)} with the key {clean_name(key)}"
    return VerifiedCommit(
        sha=sha,
        author=clean_name(name),
        message=message.rstrip("\n"),
        signed=problem != _UNSIGNED,
        good=not problem,
        reason=reason,
        email=clean_name(email),
        key=clean_name(key),
        step=step,
        signer="" if problem else clean_name(signer),
    )


def authors_of(root: Path, revision: str, *, skip: int = 0) -> tuple[tuple[str, str], ...]:
    """Return the name and e-mail address of each author of a commit and those before it, each pair once.

    Leaves out the first `skip` commits. Empty where git has no such commit.
    """
    result = ask_git(
        root,
        "log",
        f"--skip={skip}",
        "--no-mailmap",
        "--no-color",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--format=%an%x00%ae",
        revision,
        "--",
    )
    lines = result.out.decode("utf-8", "replace").split("\n")[:-1] if not result.code else []
    pairs = dict.fromkeys(line.partition("\0")[::2] for line in lines)
    return tuple((clean_name(name), clean_name(email)) for name, email in pairs)


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


def _judges(machine: tuple[GitSetting, ...], *, with_signers: bool) -> Iterator[str]:
    """Yield the settings that decide whether a signature is good, as the machine has them."""
    own = {each.key.replace("gpg.openpgp.", "gpg."): each.value for each in machine}
    values = {key: own.get(key, default) for key, default in _DEFAULTS.items()}
    if not with_signers:
        values[_SIGNERS] = _DEFAULTS[_SIGNERS]
    yield from (f"{key}={value}" for key, value in values.items())
    yield f"gpg.openpgp.program={values['gpg.program']}"


def _no_signers(root: Path, machine: tuple[GitSetting, ...]) -> str:
    """Return why the machine trusts no ssh key; nothing where its file of them lies outside of the repository."""
    files = [each.value for each in machine if each.key == _SIGNERS]
    if not files or not files[-1]:
        return f"{_NO_SIGNERS} is not set in the global git configuration"
    file = Path(files[-1]).expanduser()
    if not file.is_absolute() or file.resolve().is_relative_to((top_of(root) or root).resolve()):
        return f"{_NO_SIGNERS} names a file in the repository, which anybody can change who works on it"
    return ""


def _is_ssh(root: Path, sha: str) -> bool:
    header = ask_git(root, "cat-file", "commit", sha).out.partition(b"\n\n")[0]
    return b"-----BEGIN SSH SIGNATURE-----" in header


def _problem(root: Path, sha: str, state: str, judges: tuple[str, ...]) -> str:
    """Return why the signature is not good; nothing where it is."""
    result = ask_git(root, "verify-commit", "--", sha, settings=judges)
    if result.code == 0 and state == "G":
        return ""
    if result.has_error_text:
        missing = _MISSING.fullmatch(result.first_line)
        why = f"{missing[1]} is not installed" if missing else result.first_line
        return f"its signature cannot be checked: {why}"
    return _STATES.get(state, "git does not verify its signature")


def _not_the_author(signer: str, name: str, email: str) -> str:
    """Return why a signer is not the commit's author; nothing where they are one.

    A signer is `Name <address>` of a gpg key, or what the machine's allowed signers have for a key: an address as a
    rule, or a bare name. A pattern for addresses names no one person: its key could sign in anybody's name.
    """
    address = signer.rpartition("<")[2].removesuffix(">").lower()
    if any(letter in address for letter in "*?!"):
        return f"its key is trusted for {clean_name(signer)}, which names no one person"
    if signer and (email.lower() == address or signer == name):
        return ""
    return f"it is signed by {clean_name(signer)}, and its author is {clean_name(name)} <{clean_name(email)}>"
