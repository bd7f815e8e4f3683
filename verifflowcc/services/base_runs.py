"""Run a configured command on the content of a sprint's base, in a scratch tree beside the repository."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.adapters.files.evidence import remove_reports
from verifflowcc.adapters.git.place import top_of
from verifflowcc.adapters.git.versions import TreeFile, commit_files
from verifflowcc.adapters.process.run import Ran, run_command
from verifflowcc.adapters.project.content import read_project_file
from verifflowcc.adapters.proving.run import scratch_environment
from verifflowcc.adapters.proving.scratch import Scratch, scratch_of
from verifflowcc.domain.evidence import Command
from verifflowcc.errors import WorkspaceError
from verifflowcc.proving.parts import Part, PartRules, part_of
from verifflowcc.proving.python_roots import import_roots, package_folders
from verifflowcc.records import dataclass
from verifflowcc.services.proving.command import program_of
from verifflowcc.services.proving.extras import environments, generated
from verifflowcc.workflow.measured_verdict import filled, report_paths


@dataclass(frozen=True, slots=True)
class BaseRun:
    """A command that ran on the base content, and the report that it left (None: none)."""

    ran: Ran
    report: bytes | None


@dataclass(frozen=True, slots=True)
class BaseTree:
    """The content of a commit in a scratch tree. `root` is the project's folder there."""

    scratch: Scratch
    project: Path
    root: Path
    files: dict[str, TreeFile]

    def run(self, command: Command, kind: str) -> BaseRun:
        """Run a command on exactly the commit's content; `kind` is that of the report to read."""
        self.scratch.become(self.files)
        paths = report_paths(command)
        remove_reports(self.root, paths.values())
        words = filled(command)
        prefix = "".join(f"{part}/" for part in self.root.relative_to(self.scratch.tree).parts)
        below = [path.removeprefix(prefix) for path in self.files if path.startswith(prefix)]
        rules = PartRules(packages=package_folders(below))
        sources = [path for path in below if part_of(path, rules) is Part.PRODUCT]
        roots = [self.root / each for each in import_roots(sources)]
        env = scratch_environment(os.environ, self.scratch, self.root, roots)
        argv = (program_of(self.project, words[0]), *words[1:])
        ran = run_command(self.root, argv, command.timeout_s, env=env)
        path = paths.get(kind)
        return BaseRun(ran, read_project_file(self.root, path) if path else None)


@contextmanager
def base_tree(project: Path, base: str) -> Iterator[BaseTree]:
    """Give the content of the commit `base` in a scratch tree, with the environments of the project.

    Raises WorkspaceError where the project is in no git repository, or the tree cannot be made.
    """
    top = top_of(project)
    if top is None:
        raise WorkspaceError(f"{project} is in no git repository", hint="git init")
    top, folder = top.resolve(), project.resolve()
    files = commit_files(top, base)
    files = {**generated(top, files), **files}
    with scratch_of(top, base, environments(top, files)) as scratch:
        scratch.become(files)
        yield BaseTree(scratch, folder, scratch.tree / folder.relative_to(top), files)
