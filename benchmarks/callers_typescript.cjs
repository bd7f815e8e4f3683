// The functions of a TypeScript tree, and what each of its calls means, as the compiler resolves it; see callers.py.
//
//     node callers_typescript.cjs TYPESCRIPT ROOT
//
// Prints {"functions": [[path, line, name], …], "calls": [[path, line, name, [[path, line], …] or null], …]}. A call's
// targets are the declarations of its symbol and of its resolved signature; null where the compiler knows neither.
// Declarations outside of the tree, and those that have no body here, have no place: an empty list says "elsewhere".
"use strict";
const ts = require(process.argv[2]);
const path = require("path");
const { execFileSync } = require("child_process");

const root = process.argv[3];
const listed = execFileSync("git", ["ls-files", "-z"], { cwd: root, maxBuffer: 1 << 28 }).toString().split("\0");
const isSource = (each) => /\.[cm]?[jt]sx?$/.test(each) && !/\.d\.[cm]?ts$|(^|\/)(node_modules|dist|build)\//.test(each);
const files = listed.filter(isSource).map((each) => path.join(root, each)).filter(ts.sys.fileExists);

const configs = new Map();
function configOf(file) {
  for (let folder = path.dirname(file); folder.startsWith(root); folder = path.dirname(folder)) {
    for (const name of ["tsconfig.json", "tsconfig.base.json", "jsconfig.json"]) {
      const config = path.join(folder, name);
      if (ts.sys.fileExists(config)) return config;
    }
    if (folder === root) break;
  }
  return "";
}
const groups = new Map();
for (const file of files) {
  const config = configOf(file);
  if (!groups.has(config)) groups.set(config, []);
  groups.get(config).push(file);
}
function optionsOf(config) {
  if (!config) return {};
  const read = ts.readConfigFile(config, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(read.config || {}, ts.sys, path.dirname(config)).options;
}

const lineOf = (node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
const pathOf = (node) => path.relative(root, node.getSourceFile().fileName);
const isInside = (node) => node.getSourceFile().fileName.startsWith(root + path.sep) && !/\/node_modules\//.test(node.getSourceFile().fileName);

// The name of what holds a function's body, or nothing: its own, or that of the variable or property it is the value of.
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return node;
  if (node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) return node.name;
  const around = node.parent;
  if (around && (ts.isVariableDeclaration(around) || ts.isPropertyDeclaration(around) || ts.isPropertyAssignment(around))) {
    return around.initializer === node && ts.isIdentifier(around.name) ? around.name : undefined;
  }
  return undefined;
}
const hasBody = (node) => ts.isFunctionLike(node) && node.body && !ts.isAccessor(node);
function qualifiedOf(node, name) {
  const parts = [ts.isConstructorDeclaration(node) ? "constructor" : name.text];
  for (let each = node.parent; each; each = each.parent) {
    if (ts.isClassLike(each) && each.name) parts.unshift(each.name.text);
    else if (hasBody(each) && nameOf(each) && nameOf(each) !== name) {
      const around = nameOf(each);
      parts.unshift(ts.isConstructorDeclaration(around) ? "constructor" : around.text);
    }
  }
  return parts.join(".");
}

// Each declaration with a body that a declaration means: of an overload the one that runs.
function bodiesOf(declaration, checker) {
  if (!declaration) return [];
  if (hasBody(declaration)) return [declaration];
  const value = declaration.initializer;
  if (value && hasBody(value)) return [value];
  if (!ts.isFunctionLike(declaration)) return [];
  if (ts.isConstructorDeclaration(declaration)) return declaration.parent.members.filter((each) => ts.isConstructorDeclaration(each) && each.body);
  const symbol = declaration.name && checker.getSymbolAtLocation(declaration.name);
  return ((symbol && symbol.declarations) || []).filter(hasBody);
}

const functions = new Map();
const calls = [];
for (const [config, group] of groups) {
  const options = { moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext, ...optionsOf(config), allowJs: true, checkJs: false, noEmit: true, composite: false, incremental: false, types: [] };
  const program = ts.createProgram(group, options);
  const checker = program.getTypeChecker();
  const wanted = new Set(group);
  for (const source of program.getSourceFiles()) {
    if (!wanted.has(source.fileName)) continue;
    const visit = (node) => {
      if (hasBody(node)) {
        const name = nameOf(node);
        if (name) functions.set(`${pathOf(name)}:${name.getStart()}`, [pathOf(name), lineOf(name), qualifiedOf(node, name)]);
      }
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        const callee = node.expression;
        const name = ts.isIdentifier(callee) ? callee : ts.isPropertyAccessExpression(callee) ? callee.name : undefined;
        if (name) calls.push([pathOf(name), lineOf(name), name.text, targetsOf(node, name, checker)]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
}

function targetsOf(node, name, checker) {
  const declarations = [];
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  if (symbol && symbol.declarations) declarations.push(...symbol.declarations);
  const signature = checker.getResolvedSignature(node);
  if (signature && signature.declaration) declarations.push(signature.declaration);
  if (!declarations.length) return null;
  const places = declarations.filter(isInside).flatMap((each) => bodiesOf(each, checker)).map(nameOf).filter(Boolean);
  return places.map((each) => [pathOf(each), lineOf(each)]);
}
process.stdout.write(JSON.stringify({ functions: [...functions.values()], calls }));
