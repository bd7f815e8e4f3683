"""words_report.py FOLDER...: banned words in names and first lines (as benchmarks/house.py counts them) and class names that are shared, for files below verifflowcc/FOLDER. Run in the top of a worktree."""
import ast,sys,os,re
from pathlib import Path
from collections import defaultdict
sys.path.insert(0,os.getcwd())
from benchmarks.house import _avoided,_spaced,_source_files,_classes
P=Path('verifflowcc'); files=_source_files(P); pat=_avoided()
want=tuple(sys.argv[1:])
by=defaultdict(list)
for f in files:
    for n in ast.walk(f.tree):
        if isinstance(n,ast.ClassDef): by[n.name].append((f.path,n.lineno))
print('# shared class names')
for n,ps in sorted(by.items()):
    if len(ps)>1 and any(p.startswith(want) for p,_ in ps): print(n,' '.join(f'{p}:{l}' for p,l in ps))
print('# banned words')
tot=0
for f in files:
    if not f.path.startswith(want): continue
    out=[]
    if pat.search(Path(f.path).stem.replace('_',' ')): out.append('  module name')
    for n in ast.walk(f.tree):
        if isinstance(n,(ast.ClassDef,ast.FunctionDef,ast.AsyncFunctionDef,ast.Module)):
            d=(ast.get_docstring(n) or '').partition('\n')[0]
            if pat.search(d): out.append(f'  {getattr(n,"lineno",1)} docstring of {getattr(n,"name","module")}: {d}')
        nm=None
        if isinstance(n,(ast.ClassDef,ast.FunctionDef,ast.AsyncFunctionDef)): nm=n.name
        elif isinstance(n,ast.arg): nm=n.arg
        elif isinstance(n,ast.Name) and isinstance(n.ctx,ast.Store): nm=n.id
        if nm and pat.search(_spaced(nm)): out.append(f'  {n.lineno} {type(n).__name__} {nm}')
    if out: print(f.path,len(out)); print('\n'.join(out)); tot+=len(out)
print('total',tot)
