"""What a person has to do for a client to run its hooks, once they stand in its file."""

_AGAIN = "hooks are read when a session starts: begin a new one"
_TRUST = "start codex in this folder, trust the folder, and accept the hooks under /hooks"
_STEPS = {
    "claude": (f"Claude Code: {_AGAIN}; /hooks lists them",),
    "codex": (
        f"Codex runs a project's hooks only once you trust them, and says nothing until then: {_TRUST}",
        "codex exec takes them without that with --dangerously-bypass-hook-trust",
    ),
    "cursor": ("Cursor: reload the window; Settings > Hooks lists them",),
    "gemini": (f"Gemini CLI: trust the folder when it asks; {_AGAIN}, and /hooks lists them",),
    "copilot": (
        f"Copilot CLI: {_AGAIN}",
        "Copilot's cloud agent reads {path} from the default branch, and records only where its setup installs vfcc",
    ),
}


def next_steps(client: str, path: str) -> tuple[str, ...]:
    """Return what is left to do after a client's file was written, a sentence each."""
    return tuple(step.replace("{path}", path) for step in _STEPS[client])
