"""From an accepted template and a view to the prompt's text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from verifflowcc.context.template_language import new_environment
from verifflowcc.context.template_rules import HINT, Accepted, check_template
from verifflowcc.context.view import PromptView
from verifflowcc.errors import TemplateError
from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from types import TracebackType

    from jinja2 import BaseLoader, Template


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A template that was accepted, ready to render; equal views give equal bytes."""

    name: str
    _template: "Template"

    def render(self, view: PromptView, limit_chars: int) -> str:
        """Return the prompt: LF line ends, one newline at the end.

        TemplateError as soon as more than `limit_chars` characters come out, whatever the template would still print,
        and with the line where a value is asked of something that this prompt lacks (`sprint` where there is none).
        """
        from jinja2 import TemplateRuntimeError

        parts: list[str] = []
        chars = 0
        try:
            for part in self._template.generate(view.names()):
                chars += len(part)
                if chars > limit_chars:
                    raise TemplateError(
                        f"{self.name}:1: the template prints more than {limit_chars:,} characters", hint=HINT
                    )
                parts.append(part)
        except TemplateRuntimeError as error:
            self._refuse(error)
        text = "".join(parts)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.rstrip("\n") + "\n"

    def _refuse(self, error: Exception) -> NoReturn:
        line = _line_in(error.__traceback__, self.name)
        lacking = f"{error}; a prompt may have no sprint or no stage: ask `if sprint` or `if stage` first"
        raise TemplateError(f"{self.name}:{line}: {lacking}", hint=HINT) from None


def compile_template(source: str, name: str, partials: Mapping[str, str]) -> PromptTemplate:
    """Return `source` as a template that can render; TemplateError with every problem where it is refused.

    `partials` maps the names that `include` may give (`partials/entry.md.j2`) to their sources.
    """
    env = new_environment(_partial_loader(accepted := check_template(source, name, partials)))
    code = env.compile(accepted.template, name, filename=name)
    return PromptTemplate(name, env.template_class.from_code(env, code, {}))


def _partial_loader(accepted: Accepted) -> "BaseLoader":
    """Return a loader that knows the accepted partials, parsed as they are, and reads no file."""
    from jinja2 import BaseLoader, Environment, Template

    class PartialLoader(BaseLoader):
        def load(self, environment: Environment, name: str, globals: object = None) -> Template:
            code = environment.compile(accepted.partials[name], name, filename=name)
            return environment.template_class.from_code(environment, code, {})

    return PartialLoader()


def _line_in(trace: "TracebackType | None", name: str) -> int:
    """Return the innermost line of the template in a traceback; Jinja writes the template's own lines into it."""
    line = 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
