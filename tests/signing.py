"""Signatures in tests: an SSH key, a repository that trusts it, and a signature that no program has made."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.trees import git

ABSENT = "ssh-keygen is not installed"
_ARMOUR = {"ssh": "SSH SIGNATURE", "openpgp": "PGP SIGNATURE"}


def ssh_key(folder: Path, name: str = "key") -> Path:
    """Make the key `name` without a passphrase in `folder`, and return its public half; skip without ssh-keygen."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip(ABSENT)
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(folder / name)]
    subprocess.run(make, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return folder / f"{name}.pub"


def allow(allowed: Path, signer: str, public: Path) -> None:
    """Let the file `allowed` trust one key, as that of `signer`."""
    allowed.write_text(f"{signer} {public.read_text(encoding='ascii')}", encoding="utf-8")


def sign_with(root: Path, public: Path, allowed: Path) -> dict[str, str]:
    """Let the repository sign with a key, and a machine trust those of the file `allowed`: return its environment."""
    for name, value in {"gpg.format": "ssh", "user.signingkey": str(public)}.items():
        git(root, "config", name, value)
    return machine(allowed)


def machine(allowed: Path | str, more: str = "") -> dict[str, str]:
    """Return the environment of a machine whose global git configuration trusts the ssh keys of a file."""
    settings = Path(tempfile.mkdtemp(prefix="vfcc-machine-")) / "gitconfig"
    settings.write_text(f'[gpg "ssh"]\n\tallowedSignersFile = {allowed}\n{more}', encoding="utf-8")
    return {"GIT_CONFIG_GLOBAL": str(settings)}


def pretend_to_sign(root: Path, kind: str = "ssh") -> str:
    """Give the last commit a signature that holds nothing, which needs no program; return the commit's new id.

    The repository is set up to check signatures, so that only the program may be missing.
    """
    allowed = root.with_name(f"{root.name}.allowed")
    allowed.touch()
    sign_with(root, root.with_name("no-key.pub"), allowed)
    armour = _ARMOUR[kind]
    signature = f"gpgsig -----BEGIN {armour}-----\n U1NIU0lHAAAAAQ==\n -----END {armour}-----"
    header, empty, message = git(root, "cat-file", "commit", "HEAD").partition("\n\n")
    signed = root.with_name(f"{root.name}.commit")
    signed.write_text(f"{header}\n{signature}{empty}{message}", encoding="utf-8")
    sha = git(root, "hash-object", "-t", "commit", "-w", str(signed)).strip()
    git(root, "reset", "--quiet", "--soft", sha)
    return sha
