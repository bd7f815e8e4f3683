"""The skills that are shipped: procedures that a client's agent opens when it needs one."""

from verifflowcc.adapters.workflows.load import templates_folder

NAMES = ("vfcc-start", "vfcc-stage", "vfcc-handoff", "vfcc-review", "vfcc-trace")


def skill_text(name: str) -> str:
    """Return a skill's file, with its front matter."""
    return (templates_folder() / "skills" / name / "SKILL.md").read_text(encoding="utf-8")


def skill_body(name: str) -> str:
    """Return a skill's procedure, without its front matter."""
    return skill_text(name).split("---\n", 2)[2]
