"""Modules of generated TypeScript projects: what `tsc` resolves beside what the code graph does.

    python benchmarks/code_modules.py --typescript node_modules/typescript/lib/typescript.js [--projects N] [--seed N]

The projects are those of `tests/script_projects.py`. Counted are the imports that TypeScript resolves to a source
file, and how many of them the code graph resolves to the same one; and those that only the code graph resolves. Where
a JavaScript file finds a declaration, what that declares is meant, as Node has it. Needs Node.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine
from tests.pure.code_in_memory import code_of
from tests.script_projects import project, resolved, running
from verifflowcc.code.rules.bind_queries import imports


def main() -> None:
    parser = argparse.ArgumentParser(description="Modules of generated TypeScript projects.")
    parser.add_argument("--typescript", type=Path, required=True, metavar="FILE")
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the imports that are resolved differently")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    projects = [project(random.Random(given.seed * 100_003 + number)) for number in range(given.projects)]
    with TemporaryDirectory() as folder:
        answers = resolved(given.typescript, projects, Path(folder))
    for number, ((files, asked), answer) in enumerate(zip(projects, answers, strict=True)):
        texts = dict(files)
        for path, module in asked:
            texts[path] += f"import '{module}';\n"
        code = code_of(texts)
        for (path, module), theirs in zip(asked, answer, strict=True):
            ours = next(each.files for each in imports(code, path) if each.module == module)
            here = running(path, theirs, files) if theirs in files else ""
            kind = (
                "same"
                if ours == (here,)
                else "neither"
                if not ours and not here
                else "differs"
                if here
                else "only here"
            )
            counts[kind] += 1
            if given.show and kind == "differs":
                print(number, path, module, "tsc:", here, "here:", ours)
    print("; ".join(machine().values()))
    both = counts["same"] + counts["differs"]
    print(f"{given.projects} projects: {counts['same']} of {both} imports that tsc resolves mean the same file;")
    print(f"{counts['only here']} more are resolved here alone, {counts['neither']} by neither")


if __name__ == "__main__":
    main()
