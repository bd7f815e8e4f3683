"""Whether a signed commit names somebody else than the person whose key signed it.

A key proves what the machine's file of trusted signers has for it: an address as a rule, or a bare name. The commit's
author writes the other half freely, so that a holder of a trusted key could sign as `Boss <own@example.org>`.
"""

from collections.abc import Iterator

from verifflowcc.adapters.git.signatures import VerifiedCommit, authors_of
from verifflowcc.domain.actors import fold_name
from verifflowcc.domain.sprints import SprintState
from verifflowcc.services.workspace import Workspace

_PERSON = "human:"


def name_of_another(workspace: Workspace, state: SprintState, commit: VerifiedCommit, before: str = "") -> str:
    """Return why the author of a commit with a good signature is another person than its signer, else an empty text.

    The half that the key does not prove is another person's where the commits before it, or the sprint's events before
    the event `before`, have it with another half. A pair that was in the history when the sprint started is left
    alone: people have several addresses.
    """
    own = _pair(commit.author, commit.email)
    proven = _proven(commit)
    if len(proven) == len(own):
        return ""
    known = [*authors_of(workspace.root, commit.sha, skip=1), *_on_record(state, before)]
    place = 0 if own[1] in proven else 1
    other = next((each for each in known if _pair(*each)[place] == own[place] and _pair(*each) != own), None)
    if other is None or any(_pair(*each) == own for each in _at_start(workspace, state)):
        return ""
    return (
        f"its key proves {commit.signer} alone, and the commit names {commit.author} <{commit.email}>,"
        f" who is known as {other[0]} <{other[1]}>"
    )


def _proven(commit: VerifiedCommit) -> set[str]:
    """Return which half of the author the signer's key proves, folded; both, where a gpg key has the same name."""
    name, _, address = commit.signer.rpartition("<")
    bare = address.removesuffix(">")
    return {each for each in _pair(name or bare, bare) if each in _pair(commit.author, commit.email)}


def _on_record(state: SprintState, before: str) -> Iterator[tuple[str, str]]:
    for event in state.notes:
        if event.id == before:
            return
        email = event.payload.get("email")
        if event.actor.startswith(_PERSON) and isinstance(email, str) and email:
            yield event.actor.removeprefix(_PERSON), email


def _at_start(workspace: Workspace, state: SprintState) -> tuple[tuple[str, str], ...]:
    return authors_of(workspace.root, state.base) if state.base else ()


def _pair(name: str, email: str) -> tuple[str, str]:
    return fold_name(name), email.strip().casefold()
