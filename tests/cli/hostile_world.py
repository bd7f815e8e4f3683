"""Repositories that name a program wherever git takes one; each program leaves a mark when it runs.

One is a clone whose own `.git/config`, hooks and attributes are hostile. The other is a plain clone in which a
committed folder is laid out as a bare repository, with such settings.
"""

import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import PATIENCE_S, by_person, environment, git, vfcc
from tests.trace_project import traced
from tests.trees import write_tree

HOOKS = (
    *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change"),
    *("post-merge", "post-rewrite", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase"),
    *("prepare-commit-msg", "reference-transaction", "sendemail-validate"),
)
PROGRAMS = (
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "sequence.editor", "diff.external", "interactive.diffFilter", "pager.log"),
    *("pager.diff", "pager.status", "filter.evil.clean", "filter.evil.smudge", "filter.slow.process"),
    *("diff.evil.command", "diff.evil.textconv", "diff.shown.textconv", "merge.evil.driver"),
    *("trailer.evil.command", "trailer.evil.cmd", "gpg.program", "gpg.openpgp.program", "gpg.ssh.program"),
    *("gpg.x509.program", "gpg.ssh.defaultKeyCommand", "credential.helper", "hook.evil.command"),
    *("gc.recentObjectsHook", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.receivepack"),
    *("alias.diff-index", "alias.ls-files", "alias.status"),
)
SETTINGS = {
    "filter.evil.required": "true",
    "filter.slow.required": "true",
    "merge.default": "evil",
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "diff.submodule": "diff",
    "status.submoduleSummary": "true",
    "hook.evil.event": "post-index-change",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "core.useReplaceRefs": "true",
    "core.splitIndex": "true",
    "url.ext::.insteadOf": "short:",
}
VARIABLES = (
    *("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_SSH"),
    *("GIT_ASKPASS", "GIT_PROXY_COMMAND"),
)
ATTRIBUTES = "*.py filter=evil diff=evil merge=evil\n*.md filter=slow diff=shown\n"


@dataclass(frozen=True)
class Hostile:
    """A project, the folder with the marks of programs that ran, and the variables that name more of them."""

    root: Path
    marks: Path
    env: Mapping[str, str]

    def ran(self) -> list[str]:
        """Return the programs that ran since the last time, and forget them."""
        found = sorted(path.name for path in self.marks.iterdir())
        for path in self.marks.iterdir():
            path.unlink()
        return found

    def git(self, *arguments: str) -> None:
        """Run git as a person would, who trusts the repository, whatever comes of it."""
        env = environment(self.root.parent)
        subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )


def hostile_settings(folder: Path) -> Hostile:
    """Make a clone whose own settings, attributes and hooks are hostile, with files changed, touched and new."""
    root = _begun(folder / "shop")
    part = folder / "part"
    write_tree(part, {"a.py": "x = 1\n"})
    git(part, "init", "-q", "-b", "main")
    git(part, "add", ".")
    git(part, "commit", "-qm", "part")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "lib")
    git(root, "commit", "-qm", "with a part")
    _sign(root)
    _make_newer(root)
    git(root, "replace", "HEAD", "HEAD~1")
    world = Hostile(root, _marks(folder), _variables(folder))
    _poison(root, folder, root / ".git" / "config")
    _poison(root / "lib", folder, root / ".git" / "modules" / "lib" / "config")
    write_tree(root, {"src/session.py": "changed = 1\n", "src/new.py": "new = 1\n", "lib/a.py": "x = 2\n"})
    for path in (*root.glob("tests/*.py"), *root.glob(".memory/project/items/*/*.md")):
        os.utime(path)
    world.ran()
    return world


def embedded(folder: Path) -> Hostile:
    """Make a plain clone with a folder that is a bare repository with a project in it; return that folder."""
    source = folder / "source"
    inner = _begun(source / "fixtures" / "shop")
    for each in ("hooks", "info", "logs"):
        subprocess.run(["rm", "-rf", inner / ".git" / each], check=True)
    for path in list((inner / ".git").iterdir()):
        path.rename(inner / path.name)
    (inner / ".git").rmdir()
    (inner / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n")
    _poison(inner, folder, inner / "config", hooks=inner / "hooks")
    write_tree(inner, {"src/session.py": "changed = 1\n", ".gitattributes": ATTRIBUTES, "refs/keep": ""})
    write_tree(source, {"README.md": "A shop.\n"})
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "--all", "--force")
    git(source, "commit", "-qm", "all")
    git(folder, "clone", "-q", str(source), "clone")
    world = Hostile(folder / "clone" / "fixtures" / "shop", _marks(folder), _variables(folder))
    world.ran()
    return world


def _begun(root: Path) -> Path:
    """A project in git with items, code and a sprint that began at a commit."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    assert vfcc(root, "init").code == 0
    traced(root)
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    assert vfcc(root, "sprint", "start", "Login").code == 0
    assert by_person(root, "trace", "baseline", "create", "one").code == 0
    git(root, "add", ".")
    git(root, "commit", "-qm", "begun: REQ-timeout-k3f9")
    return root


def _marks(folder: Path) -> Path:
    (folder / "marks").mkdir(exist_ok=True)
    return folder / "marks"


def _program(folder: Path, name: str, then: str = "exec cat") -> str:
    """Write a program that leaves a mark and passes its input on, or does what `then` says; return its path."""
    path = folder / "programs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n: > '{_marks(folder)}/{name}'\n{then}\n")
    path.chmod(0o755)
    return str(path)


def _variables(folder: Path) -> dict[str, str]:
    monitor = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor"}
    named = {name: _program(folder, name) for name in VARIABLES}
    return {**named, **monitor, "GIT_CONFIG_VALUE_0": _program(folder, "GIT_CONFIG_VALUE_0")}


def _poison(root: Path, folder: Path, config: Path, hooks: Path | None = None) -> None:
    """Name a program wherever the settings, attributes and hooks of a repository can."""
    hooks = hooks or config.with_name("hooks")
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        text = Path(_program(folder, f"hook-{name}")).read_text()
        (hooks / name).write_text(text)
        (hooks / name).chmod(0o755)
    included = config.with_name("included")
    settings = {
        **{name: _program(folder, name) for name in PROGRAMS},
        **SETTINGS,
        "core.hooksPath": str(hooks),
        "remote.origin.url": f"ext::{_program(folder, 'remote.origin.url', 'exit 1')}",
        "submodule.lib.update": f"!{_program(folder, 'submodule.lib.update')}",
        "include.path": str(included),
    }
    included.write_text(_as_config({"filter.more.clean": _program(folder, "filter.more.clean")}))
    with config.open("a") as file:
        file.write(_as_config(settings))
    write_tree(root, {".gitattributes": ATTRIBUTES, "tests/.gitattributes": "*.py filter=more\n"})
    write_tree(config.parent, {"info/attributes": "*.yaml filter=slow\n"})


def _as_config(settings: Mapping[str, str]) -> str:
    lines = []
    for key, value in settings.items():
        section, _, rest = key.partition(".")
        part, _, name = rest.rpartition(".")
        lines.append(f'[{section} "{part}"]' if part else f"[{section}]")
        lines.append(f'\t{name} = "{value}"')
    return "\n".join(lines) + "\n"


def _make_newer(root: Path) -> None:
    """Give files times at which git does not trust its index, and reads them again whenever it writes one."""
    later = time.time() + 3600
    for path in (*root.glob("*.md"), *root.glob(".memory/**/*.yaml"), *root.glob("src/*.py")):
        os.utime(path, (later, later))
    git(root, "update-index", "-q", "--refresh")


def _sign(root: Path) -> None:
    """Make the commit that is checked out one with a signature."""
    text = git(root, "cat-file", "commit", "HEAD")
    head, _, message = text.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}"
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=root,
        env=environment(root.parent),
        input=signed.encode(),
        capture_output=True,
        check=True,
    )
    git(root, "reset", "-q", "--hard", done.stdout.decode().strip())
