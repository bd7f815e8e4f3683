"""Modules of generated TypeScript projects: what `tsc` resolves beside what the code graph does.

    python benchmarks/code_modules.py --typescript node_modules/typescript/lib/typescript.js [--projects N] [--seed N]

Each project has one to three packages with a `package.json` (workspaces by name, `exports`, `imports`), a tsconfig in
some folders (`paths`, `baseUrl`, `extends`, comments), folders with and without `index`, and imports by every way,
with and without an ending, some of which lead nowhere. Counted are the imports that TypeScript resolves to a source
file, and how many of them the code graph resolves to the same one; and those that only the code graph resolves. Needs
Node.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from posixpath import dirname, relpath
from tempfile import TemporaryDirectory

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import machine
from tests.pure.code_in_memory import code_of
from verifflowcc.code.rules.bind_queries import imports

ASK = """
const ts = require(process.argv[2]);
const path = require("path");
const root = process.argv[3];
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
const options = new Map();
function optionsOf(file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!config || !config.startsWith(root)) return {};
  if (!options.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    options.set(config, ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(config)).options);
  }
  return options.get(config);
}
const found = asked.map(([file, module]) => {
  const whole = path.join(root, file);
  const given = { moduleResolution: ts.ModuleResolutionKind.Bundler, ...optionsOf(whole), allowJs: true };
  const done = ts.resolveModuleName(module, whole, given, ts.sys).resolvedModule;
  return done ? path.relative(root, ts.sys.realpath(done.resolvedFileName)) : "";
});
console.log(JSON.stringify(found));
"""
NAMES = ("ape", "bee", "cat", "dog", "elk")


def project(draw: random.Random) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the files of a project, and imports as (path, module)."""
    files: dict[str, str] = {}
    modules: list[str] = []
    packages = [f"packages/{name}" for name in draw.sample(NAMES, draw.randint(0, 2))]
    for folder in ["", *packages]:
        base = f"{folder}/" if folder else ""
        source = draw.choice(("src/", ""))
        for name in draw.sample(NAMES, draw.randint(2, 4)):
            ending = draw.choice((".ts", ".ts", ".tsx", ".js"))
            where = draw.choice((name + ending, f"{name}/index{ending}", f"inner/{name}{ending}"))
            files[f"{base}{source}{where}"] = "export const x = 1;\n"
        package: dict[str, object] = {"name": f"@zoo/{folder.rpartition('/')[2] or 'root'}"}
        if draw.random() < 0.6:
            package["exports"] = {
                ".": f"./{source}ape.ts",
                "./*": {"types": f"./{source}*.ts", "default": f"./{source}*.js"},
            }
        if draw.random() < 0.5:
            package["imports"] = {"#*": f"./{source}*.ts", "#one": f"./{source}bee.ts"}
        files[f"{base}package.json"] = json.dumps(package)
        if draw.random() < 0.7:
            options: dict[str, object] = {}
            if draw.random() < 0.5:
                options["baseUrl"] = draw.choice((".", source or "."))
            if draw.random() < 0.7:
                start = "" if options.get("baseUrl") == source else source
                options["paths"] = {
                    "@/*": [f"./{start}*"],
                    "~bee": [f"./{start}bee"],
                    "@/inner/*": [f"./{start}inner/*"],
                }
            text = json.dumps({"compilerOptions": options})
            if draw.random() < 0.4:
                files[f"{base}config/base.json"] = "// shared\n" + text.replace('"./', '".././')
                files[f"{base}config/tsconfig.base.json"] = files.pop(f"{base}config/base.json")
                text = '{ /* ours */ "extends": "./config/tsconfig.base.json", }'
            files[f"{base}tsconfig.json"] = text
    modules += ["@/ape", "@/inner/bee", "~bee", "ape", "inner/cat", "#one", "#cat", "react", "node:fs", "@zoo/nothing"]
    modules += ["./ape", "./ape.js", "../ape", "./inner/bee", "..", ".", "./dog/index.js"]
    modules += [f"@zoo/{name}{rest}" for name in NAMES for rest in ("", "/bee")]
    users = [path for path in sorted(files) if path.endswith((".ts", ".tsx", ".js"))]
    asked = [(draw.choice(users), module) for module in modules]
    for path in users:
        user = draw.choice(users)
        folder = next((each for each in packages if path.startswith(f"{each}/")), "")
        inner = path.removeprefix(f"{folder}/").removeprefix("src/")
        stem = draw.choice((inner, inner.rpartition(".")[0], inner.rpartition(".")[0].removesuffix("/index")))
        near = relpath(path, dirname(user) or ".")
        near = near if near.startswith(".") else f"./{near}"
        ways = (
            near,
            near.rpartition(".")[0],
            f"@/{stem}",
            stem,
            f"#{stem}",
            f"@zoo/{folder.rpartition('/')[2]}/{stem}",
        )
        mates = [each for each in users if folder and each.startswith(f"{folder}/")] or users
        asked += [(draw.choice((user, draw.choice(mates))) if way != near else user, way) for way in ways]
    return files, list(dict.fromkeys(asked))


def written(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for path in [each for each in files if each.startswith("packages/") and each.endswith("/package.json")]:
        name = json.loads(files[path])["name"]  # as npm links the packages of a workspace
        link = root / "node_modules" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to((root / path).parent)


def main() -> None:
    parser = argparse.ArgumentParser(description="Modules of generated TypeScript projects.")
    parser.add_argument("--typescript", type=Path, required=True, metavar="FILE")
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the imports that are resolved differently")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for number in range(given.projects):
        files, asked = project(random.Random(given.seed * 100_003 + number))
        with TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            written(root, files)
            done = subprocess.run(
                ["node", "-e", ASK, "--", "-", str(given.typescript.resolve()), str(root)],
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                check=True,
            )
        texts = dict(files)
        for path, module in asked:
            texts[path] += f"import '{module}';\n"
        code = code_of(texts)
        for (path, module), theirs in zip(asked, json.loads(done.stdout), strict=True):
            ours = next(each.files for each in imports(code, path) if each.module == module)
            here = theirs if theirs in files else ""
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
    resolved = counts["same"] + counts["differs"]
    print(f"{given.projects} projects: {counts['same']} of {resolved} imports that tsc resolves mean the same file;")
    print(f"{counts['only here']} more are resolved here alone, {counts['neither']} by neither")


if __name__ == "__main__":
    main()
