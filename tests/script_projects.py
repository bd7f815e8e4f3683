"""TypeScript projects that are made up, the modules that they ask for, and what TypeScript itself makes of those.

Each project has one to three packages with a `package.json` (workspaces by name, `exports`, `imports`), a tsconfig in
some folders (`paths`, `baseUrl`, `extends`, comments), folders with and without `index` or a main file, compiled files
and declarations beside sources, and imports by every way, with and without an ending, some of which lead nowhere.
"""

import json
import random
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from posixpath import dirname, relpath

Asked = tuple[str, str]
"""A file and the module that it imports."""

_ASK = """
const ts = require(process.argv[2]);
const path = require("path");
const { asked, root } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const optionsIn = new Map();
function optionsOf(root, file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!config || !config.startsWith(root + path.sep)) return {};
  if (!optionsIn.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    optionsIn.set(config, ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(config)).options);
  }
  return optionsIn.get(config);
}
const found = asked.map(([project, file, module]) => {
  const top = path.join(root, project);
  const whole = path.join(top, file);
  const given = { moduleResolution: ts.ModuleResolutionKind.Bundler, ...optionsOf(top, whole), allowJs: true };
  const done = ts.resolveModuleName(module, whole, given, ts.sys).resolvedModule;
  return done ? path.relative(top, ts.sys.realpath(done.resolvedFileName)) : "";
});
console.log(JSON.stringify(found));
"""
NAMES = ("ape", "bee", "cat", "dog", "elk")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_RUN = (".js", ".jsx", ".mjs", ".cjs")
_BESIDE = ((".ts", ".js"), (".d.ts", ".js"), (".mts", ".mjs"), (".cts", ".cjs"), (".tsx", ".jsx"), (".ts", ".mts"))
"""Endings of which a folder may have both for one name: compiled files, and declarations beside them."""


def project(draw: random.Random) -> tuple[dict[str, str], list[Asked]]:
    """Return the files of a project, and what is imported in it."""
    files: dict[str, str] = {}
    packages = [f"packages/{name}" for name in draw.sample(NAMES, draw.randint(0, 2))]
    for folder in ["", *packages]:
        base = f"{folder}/" if folder else ""
        source = draw.choice(("src/", ""))
        _add_sources(draw, files, base + source)
        files[f"{base}package.json"] = json.dumps(_package(draw, folder.rpartition("/")[2] or "root", source))
        if draw.random() < 0.7:
            _add_configuration(draw, files, base, source)
    if draw.random() < 0.3 and any(path.startswith("src/inner/") for path in files):
        files["src/inner/tsconfig.json"] = json.dumps(
            {"compilerOptions": {"paths": {"@/*": ["./*"], "bee": ["./bee"]}}}
        )
    users = [path for path in sorted(files) if path.endswith(_SCRIPTS) and not path.endswith(".d.ts")]
    modules = ["@/ape", "@/inner/bee", "~bee", "ape", "inner/cat", "#one", "#cat", "react", "node:fs", "@zoo/nothing"]
    modules += ["./ape", "./ape.js", "../ape", "./inner/bee", "..", ".", "./dog/index.js", "./cat.mjs", "./elk.jsx"]
    modules += [
        "./ape/",
        "../inner/dog",
        "./inner",
        "../",
        "./bee.ts",
        "./cat.d.ts",
        "./elk.mts",
        "@/cat/main",
        "~bee/x",
    ]
    modules += [f"@zoo/{name}{rest}" for name in NAMES for rest in ("", "/bee")]
    asked = [(draw.choice(users), module) for module in modules]
    for path in users:
        folder = next((each for each in packages if path.startswith(f"{each}/")), "")
        asked += _ways(draw, users, path, folder)
    return files, list(dict.fromkeys(asked))


def _add_sources(draw: random.Random, files: dict[str, str], base: str) -> None:
    for name in draw.sample(NAMES, draw.randint(2, 4)):
        endings: Sequence[str] = (draw.choice((".ts", ".ts", ".tsx", ".js", ".mts")),)
        if draw.random() < 0.25:
            endings = draw.choice(_BESIDE)
        where = draw.choice((name, f"{name}/index", f"inner/{name}"))
        for ending in endings:
            files[f"{base}{where}{ending}"] = "export const x = 1;\n"
        if draw.random() < 0.15:
            files[f"{base}{name}/main.ts"] = "export const x = 1;\n"
            entry = draw.choice(("main", "types"))
            files[f"{base}{name}/package.json"] = json.dumps(
                {entry: draw.choice(("./main.ts", "main.js", "./none.js"))}
            )


def _package(draw: random.Random, name: str, source: str) -> dict[str, object]:
    package: dict[str, object] = {"name": f"@zoo/{name}"}
    if draw.random() < 0.6:
        exports: dict[str, object] = {
            ".": f"./{source}ape.ts",
            "./*": {"types": f"./{source}*.ts", "default": f"./{source}*.js"},
        }
        if draw.random() < 0.3:
            exports["./inner/*"] = draw.choice((None, f"./{source}*.ts"))
        package["exports"] = exports
    elif draw.random() < 0.4:
        entry = draw.choice(("main", "types", "typings"))
        package[entry] = f"./{source}{draw.choice(('bee', 'bee.js', 'cat', 'inner/dog.ts', 'elk/index.js'))}"
    if draw.random() < 0.5:
        package["imports"] = {"#*": f"./{source}*.ts", "#one": f"./{source}bee.ts"}
    return package


def _add_configuration(draw: random.Random, files: dict[str, str], base: str, source: str) -> None:
    options: dict[str, object] = {}
    if draw.random() < 0.5:
        options["baseUrl"] = draw.choice((".", source or "."))
    if draw.random() < 0.7:
        start = "" if options.get("baseUrl") == source else source
        options["paths"] = {
            "@/*": [f"./{start}none/*", f"./{start}*"][draw.randint(0, 1) :],
            "~bee": [f"./{start}bee"],
            "@/inner/*": [f"./{start}inner/*"],
        }
    text = json.dumps({"compilerOptions": options})
    if draw.random() < 0.4:
        files[f"{base}config/tsconfig.base.json"] = "// shared\n" + text.replace('"./', '".././')
        text = '{ /* ours */ "extends": "./config/tsconfig.base.json", }'
        if draw.random() < 0.3:
            files[f"{base}config/tsconfig.none.json"] = "{}"
            text = '{ "extends": ["./config/tsconfig.base.json", "./config/tsconfig.none.json"] }'
    files[f"{base}tsconfig.json"] = text


def _ways(draw: random.Random, users: Sequence[str], path: str, folder: str) -> list[Asked]:
    """Return imports of a file by the ways that may lead to it."""
    user = draw.choice(users)
    inner = path.removeprefix(f"{folder}/").removeprefix("src/")
    stem = draw.choice((inner, inner.rpartition(".")[0], inner.rpartition(".")[0].removesuffix("/index")))
    near = relpath(path, dirname(user) or ".")
    near = near if near.startswith(".") else f"./{near}"
    bare = near.rpartition(".")[0]
    ways = (
        near,
        bare,
        bare + draw.choice((".js", ".mjs", ".cjs", ".jsx")),
        f"@/{stem}",
        stem,
        f"#{stem}",
        f"@zoo/{folder.rpartition('/')[2] or 'root'}/{stem}",
    )
    mates = [each for each in users if folder and each.startswith(f"{folder}/")] or users
    return [(user if way.startswith(".") else draw.choice((user, draw.choice(mates))), way) for way in ways]


def resolved(
    typescript: Path, projects: Sequence[tuple[dict[str, str], list[Asked]]], scratch: Path
) -> list[list[str]]:
    """Return for each project, and what is asked in it, the file that TypeScript resolves; empty for none."""
    root = scratch.resolve()
    for number, (files, _) in enumerate(projects):
        _write(root / str(number), files)
    rows = [(str(number), *each) for number, (_, asked) in enumerate(projects) for each in asked]
    done = subprocess.run(
        ["node", "-e", _ASK, "--", "-", str(typescript.resolve())],
        input=json.dumps({"root": str(root), "asked": rows}),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = iter(json.loads(done.stdout))
    return [[next(answers) for _ in asked] for _, asked in projects]


def running(user: str, found: str, files: Collection[str]) -> str:
    """Return what runs where TypeScript has found a declaration for a JavaScript file: Node loads what it declares."""
    if user.endswith(_RUN) and found.endswith(".d.ts"):
        stem = found.removesuffix(".d.ts")
        return next((stem + each for each in (".js", ".jsx") if stem + each in files), found)
    return found


def _write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    for path in [each for each in files if each.startswith("packages/") and each.endswith("/package.json")]:
        name = json.loads(files[path]).get("name")  # as npm links the packages of a workspace
        if name:
            link = root / "node_modules" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to((root / path).parent)
