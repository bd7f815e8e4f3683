"""Choose the current one of several open sprints, from what the environment, git and the worktree say."""

from collections.abc import Collection, Mapping

VARIABLE = "VFCC_SPRINT"
Choice = tuple[str | None, str]
"""The id of the current sprint, or None, and what chose it, in words; empty where there was nothing to choose."""


def choose_sprint(
    branches: Mapping[str, str | None],
    *,
    variable: str = "",
    branch: str | None = None,
    started_here: Collection[str] = (),
) -> Choice:
    """Return the current sprint: by the variable, else by the branch, else by the worktree, else the only open one.

    `branches` maps each open sprint to the branch on which it was started (None: not known). A rule decides only where
    it names exactly one open sprint. A `variable` that names none of them decides that none is chosen.

    >>> choose_sprint({"log-in": "main", "pay": "feature/pay"}, branch="feature/pay")
    ('pay', 'by branch feature/pay')
    >>> choose_sprint({"log-in": "main", "pay": "main"}, branch="main")
    (None, '')
    """
    if variable:
        return (variable, f"by {VARIABLE}") if variable in branches else (None, "")
    if len(branches) == 1:
        return next(iter(branches)), ""
    on_branch = [sprint for sprint, started_on in branches.items() if branch and started_on == branch]
    if len(on_branch) == 1:
        return on_branch[0], f"by branch {branch}"
    in_worktree = [sprint for sprint in branches if sprint in started_here]
    return (in_worktree[0], "by worktree") if len(in_worktree) == 1 else (None, "")
