"""rename.py FILE...: each line `verifflowcc/path.py OldName NewName` renames a module-level name everywhere (package, tests, benchmarks, docs).

Run in the top folder of a worktree. Imports, uses, `module.name`, quoted annotations, `backticks` and dotted strings follow.
`#` begins a comment. Refuses a new name that the module or an importing file has already.
"""
import ast, io, re, sys, tokenize, subprocess
from pathlib import Path
jobs=[]
for f in sys.argv[1:]:
    for l in Path(f).read_text().splitlines():
        l=l.split('#')[0].split()
        if len(l)==3: jobs.append((l[0],l[1],l[2]))
        elif l: print('skipped line',l)
def files():
    for f in subprocess.run(['git','ls-files','-co','--exclude-standard','--','*.py'],capture_output=True,text=True,check=True).stdout.split('\n'):
        if f and Path(f).exists(): yield f
F={f:Path(f).read_text() for f in files()}
def mod(path):
    m=path[:-3].replace('/','.'); return m[:-9] if m.endswith('.__init__') else m
def apply(code,ren,attr):
    toks=list(tokenize.generate_tokens(io.StringIO(code).readline))
    lines=code.splitlines(keepends=True); off=[0]
    for l in lines: off.append(off[-1]+len(l))
    pos=lambda rc: off[rc[0]-1]+rc[1]
    ed=[]; depth=0
    def names(s):
        for o,n in ren.items(): s=re.sub(rf'(?<![\w.]){re.escape(o)}(?!\w)',n,s)
        for (m,o),n in attr.items(): s=re.sub(rf'(?<![\w.]){m}\.{re.escape(o)}(?!\w)',f'{m}.{n}',s)
        return s
    for i,t in enumerate(toks):
        prev=toks[i-1] if i else None; nxt=toks[i+1] if i+1<len(toks) else None
        if t.type==tokenize.OP:
            depth+= (t.string in '([{') - (t.string in ')]}')
        elif t.type==tokenize.NAME:
            if prev and prev.string=='.':
                if i>=2 and (toks[i-2].string,t.string) in attr and not(i>=3 and toks[i-3].string=='.'): ed.append((pos(t.start),pos(t.end),attr[toks[i-2].string,t.string]))
                continue
            if t.string in ren:
                if depth and nxt and nxt.string=='=' and prev and (prev.string in('(',',') or prev.type==tokenize.NL): continue
                ed.append((pos(t.start),pos(t.end),ren[t.string]))
        elif t.type==tokenize.STRING:
            pre=re.match(r'[A-Za-z]*',t.string).group().lower(); new=t.string
            if 'f' in pre: new=re.sub(r'\{[^{}]*\}',lambda m:names(m.group()),new)
            body=new[len(pre):].strip('"\'')
            if re.fullmatch(r'[\w\[\], |.]+',body) and (re.fullmatch(r'[\w.]+(\[.*\])?( \| [\w.\[\], ]+)*',body) and ' ' not in body.replace(' | ','').replace(', ','')):
                for o,n in ren.items():
                    if o[:1].isupper() or '_' in o and False: new=re.sub(rf'(?<![\w.]){o}(?!\w)',n,new)
            for o,n in ren.items(): new=re.sub(rf'`{re.escape(o)}`',f'`{n}`',new)
            if '>>>' in new:
                for o,n in ren.items(): new=re.sub(rf'(?m)(^\s*(?:>>>|\.\.\.) .*?)(?<![\w.]){re.escape(o)}(?!\w)',rf'\g<1>{n}',new)
            if new!=t.string: ed.append((pos(t.start),pos(t.end),new))
        elif t.type==tokenize.COMMENT:
            new=t.string
            for o,n in ren.items(): new=re.sub(rf'`{re.escape(o)}`',f'`{n}`',new)
            if new!=t.string: ed.append((pos(t.start),pos(t.end),new))
    for a,b,s in sorted(ed,reverse=True): code=code[:a]+s+code[b:]
    return code
bad=0
for path,old,new in jobs:
    if path not in F: print('NO FILE',path); bad+=1; continue
    m=mod(path); t=ast.parse(F[path])
    top={n.name for n in t.body if hasattr(n,'name')}|{y.id for n in t.body if isinstance(n,(ast.Assign,ast.AnnAssign)) for y in ast.walk(n) if isinstance(y,ast.Name) and isinstance(y.ctx,ast.Store)}
    if old not in top: print('NO NAME',path,old); bad+=1; continue
    if re.search(rf'(?<![\w.]){new}(?!\w)',F[path]): print('TAKEN in',path,new); bad+=1; continue
    done=0
    for f,src in list(F.items()):
        if old not in src: continue
        ren={}; attr={}; inline=False
        if f==path: ren[old]=new
        else:
            t=ast.parse(src)
            for n in ast.walk(t):
                if isinstance(n,ast.ImportFrom) and n.level==0:
                    for a in n.names:
                        if n.module==m and a.name==old:
                            if a.asname: inline=True
                            else: ren[old]=new
                        if f'{n.module}.{a.name}'==m: attr[a.asname or a.name,old]=new
                elif isinstance(n,ast.Import):
                    for a in n.names:
                        if a.name==m and a.asname: attr[a.asname,old]=new
        if ren and f!=path and re.search(rf'(?m)^\s*(?:from .* import .*\b{new}\b|(?:def|class) {new}\b|{new}\s*=)',src): print('TAKEN in',f,new); bad+=1; continue
        s=src
        if ren or attr: s=apply(s,ren,attr)
        if inline:
            s=re.sub(rf'(from {re.escape(m)} import [^\n]*?\b){old} as ',rf'\g<1>{new} as ',s)
            s=re.sub(rf'(from {re.escape(m)} import \((?:[^)]*?\b)?){old} as ',rf'\g<1>{new} as ',s)
        s=s.replace(f'{m}.{old}"',f'{m}.{new}"').replace(f'{m}:{old}"',f'{m}:{new}"')
        if s!=src: F[f]=s; done+=1; Path(f).write_text(s)
    print('ok' if done else 'nothing',path,old,new,done)
sys.exit(bool(bad))
