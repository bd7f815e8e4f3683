"""Signatures as git itself judges them, with real keys, and who added a file."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.signing import allow, machine, pretend_to_sign, sign_with, ssh_key
from tests.trees import PERSON, commit, git, path_with, repository, write_tree
from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.git.git_signatures import TRUST_STEP, added_by, verified_commit

ME = "ann@example.org"
"""The address of the person in `tests.trees`."""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep git from the machine's configuration and keys."""
    for name, value in {**PERSON, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GNUPGHOME", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit, which is not signed."""
    root = write_tree(tmp_path / "p", {"a.py": "a\n"})
    repository(root)
    return root


@pytest.fixture
def signing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, where it signs with the key `mine`, and the machine trusts that as the person's."""
    mine = ssh_key(tmp_path, "mine")
    for name, value in sign_with(root, mine, tmp_path / "allowed").items():
        monkeypatch.setenv(name, value)
    allow(tmp_path / "allowed", ME, mine)
    return root


def fingerprint(folder: Path) -> str:
    """The fingerprint of the key `mine`, as its own program prints it."""
    shown = subprocess.run(["ssh-keygen", "-l", "-f", folder / "mine.pub"], capture_output=True, text=True, check=True)
    return shown.stdout.split()[1]


def sign(root: Path, message: str = "I approve\n\nof this", *options: str) -> str:
    git(root, "commit", "--quiet", "--allow-empty", "--gpg-sign", "--message", message, *options)
    return git(root, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("who", [ME, ME.upper(), "Ann"])
def test_what_its_author_signed_with_a_trusted_key_is_good(signing: Path, tmp_path: Path, who: str) -> None:
    sha = sign(signing)
    allow(tmp_path / "allowed", who, tmp_path / "mine.pub")

    for revision in ("HEAD", sha, sha[:10], "main"):
        found = verified_commit(signing, revision)
        assert (found.sha, found.author, found.message) == (sha, "Ann", "I approve\n\nof this")
        assert (found.good, found.reason) == (True, f"signed by {who} with the key {fingerprint(tmp_path)}")
        assert found.key == fingerprint(tmp_path)


@pytest.mark.parametrize("who", ["*@example.org", "*", "ann@example.or?", "!bob@example.org,*@example.org"])
def test_a_key_that_is_trusted_for_anybody_vouches_for_nobody(signing: Path, tmp_path: Path, who: str) -> None:
    sign(signing, "I approve", "--author", "Boss <boss@example.org>" if "?" not in who else "Ann <ann@example.org>")
    allow(tmp_path / "allowed", who, tmp_path / "mine.pub")

    found = verified_commit(signing, "HEAD")

    assert not found.good
    assert "which names no one person" in found.reason or "not one that is trusted" in found.reason


# What the repository sets trusts no key


@pytest.fixture
def self_made(root: Path, tmp_path: Path) -> Path:
    """A repository that signs with a key of its own making and says itself that this is Ann's."""
    mine = ssh_key(tmp_path, "mine")
    sign_with(root, mine, tmp_path / "allowed")
    allow(tmp_path / "allowed", ME, mine)
    git(root, "config", "gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    return root


def test_a_repository_makes_no_key_trusted(self_made: Path) -> None:
    sign(self_made)
    assert (
        "Good"
        in subprocess.run(
            ["git", "verify-commit", "HEAD"], cwd=self_made, capture_output=True, text=True, check=True
        ).stderr
    ), "git itself believes it"

    found = verified_commit(self_made, "HEAD")

    assert (found.good, found.step) == (False, TRUST_STEP)
    assert found.reason.endswith("gpg.ssh.allowedSignersFile is not set in the global git configuration")


@pytest.mark.parametrize("how", ["include", "worktree", "environment"])
def test_no_other_place_that_a_repository_has_makes_a_key_trusted(
    self_made: Path, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(self_made)
    git(self_made, "config", "--unset", "gpg.ssh.allowedSignersFile")
    setting = ("gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    if how == "include":
        git(self_made, "config", "--file", ".git/more", *setting)
        git(self_made, "config", "include.path", "more")
    elif how == "worktree":
        git(self_made, "config", "extensions.worktreeConfig", "true")
        git(self_made, "config", "--worktree", *setting)
    else:
        for name, value in zip(("KEY_0", "VALUE_0", "COUNT"), (*setting, "1"), strict=True):
            monkeypatch.setenv(f"GIT_CONFIG_{name}", value)

    assert not verified_commit(self_made, "HEAD").good


@pytest.mark.parametrize("place", ["signers", "sub/../signers", "{root}/signers", "{root}/.git/signers"])
def test_a_file_in_the_repository_makes_no_key_trusted(
    signing: Path, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(signing)
    named = place.format(root=signing)
    allow(signing / "signers", ME, tmp_path / "mine.pub")
    allow(signing / ".git" / "signers", ME, tmp_path / "mine.pub")
    for name, value in machine(named).items():
        monkeypatch.setenv(name, value)

    found = verified_commit(signing, "HEAD")

    assert (found.good, found.step) == (False, TRUST_STEP)
    assert "names a file in the repository" in found.reason


def test_a_repository_takes_back_no_key_that_the_machine_revoked(
    signing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(signing)
    revoked = tmp_path / "revoked"
    shutil.copy(tmp_path / "mine.pub", revoked)
    for name, value in machine(tmp_path / "allowed", f"\trevocationFile = {revoked}\n").items():
        monkeypatch.setenv(name, value)
    assert not verified_commit(signing, "HEAD").good
    (tmp_path / "none").touch()
    git(signing, "config", "gpg.ssh.revocationFile", str(tmp_path / "none"))

    assert not verified_commit(signing, "HEAD").good


def test_what_nobody_signed_is_not_good(root: Path) -> None:
    found = verified_commit(root, "HEAD")

    assert (found.good, found.reason) == (False, "it is not signed")


def test_an_unknown_key_is_not_good(signing: Path, tmp_path: Path) -> None:
    sign(signing)
    allow(tmp_path / "allowed", ME, ssh_key(tmp_path, "other"))

    found = verified_commit(signing, "HEAD")

    assert (found.good, found.reason) == (False, "its key is not one that is trusted here")


def test_a_key_whose_time_is_over_is_not_good(signing: Path, tmp_path: Path) -> None:
    sign(signing)
    allow(tmp_path / "allowed", f'{ME} valid-before="20200101"', tmp_path / "mine.pub")

    assert not verified_commit(signing, "HEAD").good


def test_words_put_under_a_signature_later_are_not_good(signing: Path, tmp_path: Path) -> None:
    sha = sign(signing)
    text = git(signing, "cat-file", "commit", sha).replace("I approve", "I approve all")
    (tmp_path / "forged").write_text(text, encoding="utf-8")
    forged = git(signing, "hash-object", "-t", "commit", "-w", str(tmp_path / "forged")).strip()

    found = verified_commit(signing, forged)

    assert (found.good, found.reason) == (False, "its signature is bad")
    assert found.message.startswith("I approve all")


def test_who_signs_in_anothers_name_vouches_for_nobody(signing: Path) -> None:
    sign(signing, "I approve", "--author", "Other <other@example.org>")

    found = verified_commit(signing, "HEAD")

    assert (found.author, found.good) == ("Other", False)
    assert found.reason == f"it is signed by {ME}, and its author is Other <other@example.org>"


def test_a_mailmap_does_not_make_the_signer_the_author(signing: Path) -> None:
    write_tree(signing, {".mailmap": f"Ann <{ME}> <other@example.org>\n"})
    commit(signing, "map")
    sign(signing, "I approve", "--author", "Other <other@example.org>")

    assert not verified_commit(signing, "HEAD").good


def test_a_replaced_commit_is_judged_as_it_was_made(signing: Path) -> None:
    unsigned = git(signing, "rev-parse", "HEAD").strip()
    git(signing, "replace", unsigned, sign(signing))

    found = verified_commit(signing, unsigned)

    assert (found.sha, found.good, found.message) == (unsigned, False, "first")


def test_where_it_cannot_be_checked_the_reason_is_gits(
    signing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(signing)
    for name, value in machine(tmp_path / "allowed", "\tprogram = /no/such/program\n").items():
        monkeypatch.setenv(name, value)
    found = verified_commit(signing, "HEAD")
    assert (found.good, "cannot run /no/such/program" in found.reason) == (False, True)


def test_the_repository_does_not_choose_the_program_that_checks(signing: Path, tmp_path: Path) -> None:
    sign(signing)
    program = tmp_path / "program"
    program.write_text(
        f"#!/bin/sh\ntouch {tmp_path}/ran\necho 'Good \"git\" signature for {ME} with ED25519 key SHA256:x'\n"
    )
    program.chmod(0o755)
    for key in ("gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program"):
        git(signing, "config", key, str(program))

    assert verified_commit(signing, "HEAD").good
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("kind", "program"), [("ssh", "ssh-keygen"), ("openpgp", "gpg")])
def test_a_missing_program_leaves_a_signature_unchecked_and_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, program: str
) -> None:
    sha = pretend_to_sign(root, kind)
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin", "git"))

    found = verified_commit(root, sha)

    assert (found.signed, found.good) == (True, False)
    assert found.reason == f"its signature cannot be checked: {program} is not installed"


def test_settings_of_the_log_do_not_get_in_between(signing: Path) -> None:
    sha = sign(signing)
    for name, value in {"log.showSignature": "true", "color.ui": "always", "log.decorate": "full"}.items():
        git(signing, "config", name, value)

    found = verified_commit(signing, "HEAD")

    assert (found.sha, found.good, found.message) == (sha, True, "I approve\n\nof this")


def test_what_is_no_commit_is_an_error(root: Path, tmp_path: Path) -> None:
    for revision in ("nope", "--help", "HEAD:a.py", "", "HEAD~9"):
        with pytest.raises(UsageError, match="git has no commit"):
            verified_commit(root, revision)
    with pytest.raises(WorkspaceError, match="in no git repository"):
        verified_commit(tmp_path, "HEAD")


@pytest.fixture
def gpg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home for GnuPG with a key of the person; short, since its sockets are in it."""
    import shutil
    import tempfile

    if not shutil.which("gpg"):
        pytest.skip("gpg is not installed")
    with tempfile.TemporaryDirectory(prefix="g", dir="/tmp", ignore_cleanup_errors=True) as home:
        monkeypatch.setenv("GNUPGHOME", home)
        make = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", f"Ann <{ME}>", "ed25519", "sign"]
        made = subprocess.run([*make, "never"], capture_output=True, check=False)
        if made.returncode:
            pytest.skip("gpg cannot make a key here")
        yield Path(home)
        subprocess.run(["gpgconf", "--kill", "all"], check=False)


def test_a_gpg_key_is_good_where_it_is_trusted_and_only_there(
    tmp_path: Path, gpg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "p", {"a.py": "a\n"})
    repository(root)
    subprocess.run(
        ["git", "commit", "--quiet", "--allow-empty", "--gpg-sign", "--message", "yes"], cwd=root, check=True
    )

    found = verified_commit(root, "HEAD")
    assert (found.good, found.reason) == (True, f"signed by Ann <{ME}> with the key {found.key}")
    assert re.fullmatch("[0-9A-F]{40}", found.key)

    public = subprocess.run(["gpg", "--export"], capture_output=True, check=True).stdout
    stranger = gpg / "stranger"
    stranger.mkdir(mode=0o700)
    monkeypatch.setenv("GNUPGHOME", str(stranger))
    assert verified_commit(root, "HEAD").reason == "its signature cannot be checked: the key is missing"
    subprocess.run(["gpg", "--quiet", "--import"], input=public, check=True, capture_output=True)
    found = verified_commit(root, "HEAD")
    assert (found.good, found.reason) == (False, "its key is not one that is trusted here")


# Who added a file


def authored(root: Path, name: str, files: dict[str, str | bytes], *options: str) -> str:
    write_tree(root, files)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--author", f"{name} <x@example.org>", "--message", "m", *options)
    return git(root, "rev-parse", "HEAD").strip()


def test_who_added_a_file_is_not_who_changed_it(root: Path) -> None:
    sha = authored(root, "You", {"sub/new *.json": "1\n"})
    authored(root, "Other", {"sub/new *.json": "2\n", "sub/new 2.json": "x\n"})

    assert added_by(root, "sub/new *.json") == (sha, "You", "x@example.org")
    assert added_by(root / "sub", "new *.json") == (sha, "You", "x@example.org")


def test_a_file_that_is_not_committed_was_added_by_nobody(root: Path) -> None:
    write_tree(root, {"new.json": "1\n", "staged.json": "1\n"})
    git(root, "add", "staged.json")

    assert [added_by(root, name) for name in ("new.json", "staged.json", "none")] == [None, None, None]


def test_a_file_that_was_removed_was_added_by_nobody_until_it_is_there_again(root: Path) -> None:
    authored(root, "You", {"x.json": "1\n"})
    git(root, "rm", "--quiet", "x.json")
    authored(root, "You", {})
    write_tree(root, {"x.json": "1\n"})
    assert added_by(root, "x.json") is None

    sha = authored(root, "Other", {"x.json": "1\n"})
    assert added_by(root, "x.json") == (sha, "Other", "x@example.org")


def test_a_file_from_a_merged_branch_and_one_made_by_the_merge(root: Path) -> None:
    git(root, "checkout", "--quiet", "-b", "side")
    on_side = authored(root, "You", {"side.json": "s\n"})
    git(root, "checkout", "--quiet", "main")
    authored(root, "Ann", {"main.json": "m\n"})
    git(root, "merge", "--quiet", "--no-commit", "--no-ff", "side")
    merge = authored(root, "Other", {"evil.json": "e\n"})

    assert added_by(root, "side.json") == (on_side, "You", "x@example.org")
    assert added_by(root, "evil.json") == (merge, "Other", "x@example.org")


def test_outside_of_git_and_before_the_first_commit_nobody_added_anything(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": "a"})
    assert added_by(tmp_path, "a") is None
    git(tmp_path, "init", "--quiet")
    assert added_by(tmp_path, "a") is None


def test_a_git_that_cannot_tell_is_an_error_and_not_nobody(root: Path) -> None:
    (root / ".git" / "refs" / "heads" / "main").write_text("0" * 39 + "1\n", encoding="ascii")

    with pytest.raises(WorkspaceError, match=r"git cannot tell who added a\.py"):
        added_by(root, "a.py")
