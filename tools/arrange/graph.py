import ast, json, sys, os
from pathlib import Path
from collections import defaultdict, Counter
def load(pkg):
    pkg=Path(pkg)
    files={p.relative_to(pkg).as_posix():p.read_text() for p in sorted(pkg.rglob('*.py'))}
    mods={'verifflowcc'+('.'+p[:-3].replace('/','.') if p!='__init__.py' else ''):p for p in files}
    mods={ (m[:-9] if m.endswith('.__init__') else m):p for m,p in mods.items()}
    eager=defaultdict(set); lazy=defaultdict(set); typing=defaultdict(set)
    for path,text in files.items():
        tree=ast.parse(text)
        lz=set(); ty=set()
        for n in ast.walk(tree):
            if isinstance(n,(ast.FunctionDef,ast.AsyncFunctionDef,ast.Lambda)):
                for k in ast.walk(n): lz.add(id(k))
            if isinstance(n,ast.If) and 'TYPE_CHECKING' in ast.dump(n.test):
                for k in ast.walk(n): ty.add(id(k))
        for n in ast.walk(tree):
            if isinstance(n,ast.Import): names=[a.name for a in n.names]
            elif isinstance(n,ast.ImportFrom): names=[f"{n.module}.{a.name}" for a in n.names]
            else: continue
            for name in names:
                t=mods.get(name) or mods.get(name.rpartition('.')[0])
                if t and t!=path:
                    (typing if id(n) in ty else lazy if id(n) in lz else eager)[path].add(t)
    return files,mods,eager,lazy,typing
