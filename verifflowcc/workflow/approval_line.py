"""The line in a commit's message by which a signed commit approves a stage."""

LEAST_DIGITS = 12
MARK = "Vfcc-Approve:"


def approval_line(sprint: str, stage: str, subject: str) -> str:
    """Return the line that approves what has the digest `subject`.

    >>> approval_line("login", "design", "sha256:0123456789abcdef")
    'Vfcc-Approve: login/design 0123456789ab'
    """
    return f"{MARK} {sprint}/{stage} {subject.removeprefix('sha256:')[:LEAST_DIGITS]}"


def approves(message: str, sprint: str, stage: str, subject: str) -> bool:
    """Say whether a line of a commit's message approves that stage of the sprint with that content."""
    digest = subject.removeprefix("sha256:")
    for line in message.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == MARK and words[1] == f"{sprint}/{stage}":
            given = words[2].removeprefix("sha256:").lower()
            if len(given) >= LEAST_DIGITS and digest.startswith(given):
                return True
    return False
