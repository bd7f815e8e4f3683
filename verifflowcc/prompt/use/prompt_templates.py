"""The templates of the roles: a project's own where it has one, else the shipped one."""

from functools import lru_cache

from verifflowcc.base.errors import TemplateError
from verifflowcc.base.files.layout import MEMORY, check_inside
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.rules.shipped_templates import SHIPPED
from verifflowcc.prompt.rules.template_view import PromptTemplate
from verifflowcc.sprint.store.workflow_load import templates_folder
from verifflowcc.sprint.use.role_files import TEMPLATE_ENDING

# The roles that come with vfcc: each has a prompt template, a default prose and a list of tools.

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


LARGEST_TEMPLATE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """A template as text, the name under which errors speak of it, and the digest of it and of its partials."""

    name: str
    text: str
    digest: str


def depends_on(workspace: Workspace, agent: str) -> tuple[str, ...]:
    """Return the paths on which an agent's template depends: the project's own or its absence, and the shipped ones."""
    shipped = templates_folder() / "prompts"
    files = (shipped / prompt_template_name(agent), *(shipped / name for name in partials()))
    own = f"{MEMORY}/templates"
    return (own, f"{own}/{agent}{TEMPLATE_ENDING}", *(str(path) for path in files))


def source_for(workspace: Workspace, agent: str) -> TemplateSource:
    """Return the agent's template. Raises TemplateError where a project's own is no text or too large.

    Raises WorkspaceError where it is a link that leaves the memory tree.
    """
    own = workspace.memory / "templates" / f"{agent}{TEMPLATE_ENDING}"
    if own.exists() or own.is_symlink():
        name = f"{MEMORY}/templates/{agent}{TEMPLATE_ENDING}"
        check_inside(own, workspace.memory)
        if not own.is_file():
            raise TemplateError(f"{name}:1: this is not an ordinary file")
        if own.stat().st_size > LARGEST_TEMPLATE_BYTES:
            raise TemplateError(f"{name}:1: a template may have {LARGEST_TEMPLATE_BYTES // 1024} KiB at most")
        data = own.read_bytes()
        return _source(name, data)
    return shipped_source_for(agent)


def shipped_source_for(agent: str) -> TemplateSource:
    """Return the shipped template of an agent, whatever a project has."""
    name = f"prompts/{prompt_template_name(agent)}"
    return _source(name, (templates_folder() / name).read_bytes())


def _source(name: str, data: bytes) -> TemplateSource:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TemplateError(f"{name}:{line}: the template is not UTF-8 at byte {error.start}") from error
    everything = "\0".join([text, *(f"{key}\0{value}" for key, value in sorted(partials().items()))])
    return TemplateSource(name, text, digest_text(everything))


def partials() -> dict[str, str]:
    """Return the shipped partials by the name that `include` gives."""
    folder = templates_folder() / "prompts"
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((folder / "partials").glob(f"*{TEMPLATE_ENDING}"))
    }


@lru_cache(maxsize=len(ROLES))
def compiled(source: TemplateSource) -> PromptTemplate:
    """Return the template, checked and ready to render. Raises TemplateError with all that it may not use.

    A driver of agents asks for the same one again and again.
    """
    shipped = SHIPPED.get(source.digest)
    if shipped is not None:
        return PromptTemplate(source.name, shipped)
    from verifflowcc.prompt.rules.template_rules import compile_template  # Jinja costs as much as half of a prompt

    return compile_template(source.text, source.name, partials())
