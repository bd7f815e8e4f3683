"""The roles that come with vfcc: each has a prompt template, a default prose and a list of tools."""

ROLES = (
    "planner",
    "analyst",
    "architect",
    "designer",
    "coder",
    "tester",
    "integrator",
    "reviewer",
    "stakeholder",
)
"""In the order of the V."""


def prompt_template_name(agent: str) -> str:
    """Return the file name of the agent's shipped template; an agent of the project's own gets the default one."""
    return f"{agent if agent in ROLES else 'default'}.md.j2"
