"""arrange.py ROOT PLAN.json  — PLAN: {"map": {old path: new path}, "order": {new path: [old parts, ...]}} paths below verifflowcc/"""
import ast, io, json, re, sys, tokenize, os, subprocess
from collections import defaultdict
from pathlib import Path
ROOT=Path(sys.argv[1]); PLAN=json.load(open(sys.argv[2]))
PKG=ROOT/'verifflowcc'
def modname(path):
    m='verifflowcc.'+path[:-3].replace('/','.')
    return m[:-9] if m.endswith('.__init__') else m
exist={p.relative_to(PKG).as_posix() for p in PKG.rglob('*.py')}
MAP={o:n for o,n in PLAN['map'].items() if o in exist and o!=n or o in exist and o in PLAN['map']}
# identity entries are kept when they are hosts
groups=defaultdict(list)
for o,n in MAP.items(): groups[n].append(o)
for n in list(groups):
    if groups[n]==[n]: del groups[n]; MAP.pop(n)
for n in groups:
    if n in exist and n not in MAP: MAP[n]=n; groups[n].append(n)
    # an existing file at the new path that goes elsewhere is fine
OLDMOD={modname(o):modname(n) for o,n in MAP.items()}
ALLMODS={modname(p):p for p in exist}
NEWPATH={o:MAP.get(o,o) for o in exist}
texts={p:(PKG/p).read_text() for p in exist}
trees={}
def tree(p):
    if p not in trees: trees[p]=ast.parse(texts[p])
    return trees[p]
def topdefs(p):
    d=[]
    for n in tree(p).body:
        st=[n]
        while st:
            n=st.pop(0)
            if isinstance(n,(ast.FunctionDef,ast.ClassDef,ast.AsyncFunctionDef)): d.append(n.name)
            elif isinstance(n,ast.Assign):
                for x in n.targets:
                    for y in ast.walk(x):
                        if isinstance(y,ast.Name) and isinstance(y.ctx,ast.Store): d.append(y.id)
            elif isinstance(n,(ast.AnnAssign,ast.AugAssign)) and isinstance(n.target,ast.Name): d.append(n.target.id)
            elif isinstance(n,ast.If) and 'TYPE_CHECKING' in ast.dump(n.test): pass
            elif isinstance(n,(ast.If,ast.Try,ast.With,ast.For)): st.extend(ast.iter_child_nodes(n))
    return [x for x in dict.fromkeys(d) if x!='TYPE_CHECKING']
def ownflag(n): return isinstance(n,ast.Assign) and len(n.targets)==1 and isinstance(n.targets[0],ast.Name) and n.targets[0].id=='TYPE_CHECKING'
def istyping(n): return isinstance(n,ast.If) and 'TYPE_CHECKING' in ast.dump(n.test) and all(isinstance(x,(ast.Import,ast.ImportFrom,ast.Assign)) for x in n.body) and not n.orelse
# ---- order parts by eager dependency
def eager_targets(p):
    out=set()
    for n in tree(p).body:
        if isinstance(n,ast.ImportFrom) and n.module:
            for a in n.names:
                t=ALLMODS.get(f'{n.module}.{a.name}') or ALLMODS.get(n.module)
                if t: out.add(t)
    return out
def typing_targets(p):
    out=set()
    for n in tree(p).body:
        if istyping(n):
            for x in n.body:
                if isinstance(x,ast.ImportFrom) and x.module:
                    for a in x.names:
                        t=ALLMODS.get(f'{x.module}.{a.name}') or ALLMODS.get(x.module)
                        if t: out.add(t)
    return out
def order(parts,host):
    parts=sorted(parts)
    g={p:{t for t in eager_targets(p) if t in parts and t!=p} for p in parts}
    def reach(a,b,seen=None):
        seen=seen or set()
        if a==b: return True
        seen.add(a)
        return any(reach(t,b,seen) for t in g[a] if t not in seen)
    for p in parts:
        for t in sorted(typing_targets(p)):
            if t in parts and t!=p and not reach(t,p): g[p].add(t)
    res=[]; seen=set()
    def visit(p):
        if p in seen: return
        seen.add(p)
        for t in sorted(g[p]): visit(t)
        res.append(p)
    for p in sorted(parts,key=lambda x:(x==host,x)): visit(p)
    return res
def order_old(parts,host):
    parts=sorted(parts); res=[]; seen=set()
    def visit(p,stack=()):
        if p in seen: return
        seen.add(p)
        for t in sorted(eager_targets(p)):
            if t in parts and t not in stack: visit(t,stack+(p,))
        res.append(p)
    for p in sorted(parts,key=lambda x:(x==host,x)): visit(p)
    return res
HOSTOF=PLAN.get('host',{})   # new path -> old host path
RENAME=defaultdict(dict)     # old path -> {old name: new name}
def stemname(p): return Path(p).stem
def newname(name,stem):
    core=name.lstrip('_'); s=stem.strip('_'); u='_' if name.startswith('_') else ''
    if core.isupper() or re.fullmatch(r'[A-Z0-9_]+',core): return u+s.upper()+'_'+core
    if core[:1].isupper(): return u+''.join(w.capitalize() for w in s.split('_'))+core
    return u+s+'_'+core
# import tables to know what names parts import (all levels)
def all_imports(p):
    d={}
    for n in ast.walk(tree(p)):
        if isinstance(n,ast.ImportFrom):
            for a in n.names: d.setdefault(a.asname or a.name,set()).add((n.module,a.name))
        elif isinstance(n,ast.Import):
            for a in n.names: d.setdefault(a.asname or a.name.split('.')[0],set()).add((None,a.name))
    return d
_td={}
def topdefs_cached(p):
    if p not in _td: _td[p]=set(topdefs(p))
    return _td[p]
def origin(module,name,depth=0):
    p=ALLMODS.get(module)
    if p is None or depth>5 or f'{module}.{name}' in ALLMODS: return module,name
    if name in topdefs_cached(p): return module,name
    for n in tree(p).body:
        st=[n]
        if isinstance(n,ast.If): st=list(n.body)
        for n in st:
            if isinstance(n,ast.ImportFrom) and n.level==0 and (n.module or '').split('.')[0]=='verifflowcc':
                for a in n.names:
                    if (a.asname or a.name)==name: return origin(n.module,a.name,depth+1)
    return module,name
problems=[]
IMPREN=defaultdict(dict)
for new,parts in groups.items():
    if len(parts)==1: continue
    host=HOSTOF.get(new) or (new if new in parts else None)
    owner={}
    for p in sorted(parts,key=lambda x:(x!=host,x)):
        for d in topdefs(p):
            if d in owner:
                if not d.startswith('_'):
                    if d in ('app','list_','show','run','main') : problems.append(f'public name {d} in {p} and {owner[d]} -> {new}')
                    else: print('  public rename',d,p,owner[d])
                nn=newname(d,stemname(p)); 
                RENAME[p][d]=nn; owner[nn]=p
            else: owner[d]=p
    # names imported vs defined
    for p in parts:
        for nm,srcs in all_imports(p).items():
            for m,a in srcs:
                src=ALLMODS.get(m) if m else None
                intra= src in parts
                if nm in owner and not (intra and a==nm) and not(owner[nm]==p) and nm not in RENAME.get(owner[nm],{}):
                    if nm in RENAME[p].values(): continue
                    # definition in other part with same name as an import here
                    if nm.startswith('_') or True:
                        o=owner[nm]
                        if nm.startswith('_'):
                            RENAME[o][nm]=newname(nm,stemname(o))
                        else:
                            RENAME[o][nm]=newname(nm,stemname(o)); print('  renamed (imported elsewhere)',nm,o,RENAME[o][nm])
    imps={}
    for p in parts:
        for nm,srcs in all_imports(p).items():
            for s in srcs:
                src=ALLMODS.get(s[0]) if s[0] else None
                if src in parts: continue
                s=origin(*s) if s[0] else s
                if nm in imps and imps[nm]!=s and not (s[0] is None and imps[nm][0] is None):
                    top=any(isinstance(x,ast.ImportFrom) and any((a.asname or a.name)==nm for a in x.names) for x in tree(p).body)
                    if top and s[0]: IMPREN[p][nm]=f"{stemname(ALLMODS[s[0]]) if s[0] in ALLMODS else s[0].rpartition('.')[2]}_{nm.lstrip('_')}".lower() if not nm.isupper() else f"{stemname(ALLMODS[s[0]]).upper()}_{nm}"; print('  import alias',nm,p,IMPREN[p].get(nm),s,imps[nm])
                    else: print('  lazy import differs',nm,p,s,imps[nm])
                else: imps[nm]=s
if problems:
    print('PROBLEMS'); print('\n'.join(sorted(set(problems)))); 
    if '--force' not in sys.argv: sys.exit(1)
# ---- rewriting one import statement
def resolve(module,name):
    module,name=origin(module,name)
    return resolve1(module,name)
def resolve1(module,name):
    """-> ('mod', newpkg, newstem) | ('name', newmodule, newname, oldpath) | None"""
    full=f'{module}.{name}'
    if full in ALLMODS and not (module in ALLMODS and ALLMODS[module] and name in topdefs_cached(ALLMODS[module])):
        p=ALLMODS[full]; nm=modname(NEWPATH[p]); return ('mod',nm.rpartition('.')[0],nm.rpartition('.')[2],p)
    if module in ALLMODS:
        p=ALLMODS[module]; return ('name',modname(NEWPATH[p]),RENAME.get(p,{}).get(name,name),p)
    return None
def rewrite_from(n,own_new=None,own_renames=True):
    """Return list of ('from',mod,name,asname) and intra list [(kind, local name, target name)]"""
    out=[]; intra=[]
    for a in n.names:
        r=resolve(n.module or '',a.name) if n.level==0 else None
        local=a.asname or a.name
        if r is None: out.append((n.module,a.name,a.asname)); continue
        if r[0]=='mod':
            if own_new is not None and NEWPATH[r[3]]==own_new: intra.append(('mod',local,None)); continue
            out.append((r[1],r[2],local if local!=r[2] else None))
        else:
            if own_new is not None and NEWPATH[r[3]]==own_new: intra.append(('name',local,r[2])); continue
            asn=a.asname
            if r[2]!=a.name and not asn: asn=a.name
            out.append((r[1],r[2],asn if asn!=r[2] else None))
    return out,intra
def fmt_from(items,indent):
    by=defaultdict(list)
    for m,n,a in items: by[m].append(n+(f' as {a}' if a else ''))
    lines=[]
    for m in by:
        one=f"{indent}from {m} import {', '.join(by[m])}"
        if len(one)>118: one=f"{indent}from {m} import (\n"+''.join(f"{indent}    {x},\n" for x in by[m])+f"{indent})"
        lines.append(one)
    return lines
def apply_names(code,ren,strip):
    """rename identifiers (tokens, f-strings, backticked in comments/docstrings) and strip 'alias.' prefixes"""
    if not ren and not strip: return code
    def in_f(s):
        for al in strip: s=re.sub(rf'(?<![\w.]){al}\.(?=\w)','',s)
        for o,n in ren.items(): s=re.sub(rf'(?<![\w.]){re.escape(o)}(?!\w)',n,s)
        return s
    toks=list(tokenize.generate_tokens(io.StringIO(code).readline))
    lines=code.splitlines(keepends=True)
    off=[0]
    for l in lines: off.append(off[-1]+len(l))
    def pos(rc): return off[rc[0]-1]+rc[1]
    edits=[]
    depth=0
    for i,t in enumerate(toks):
        if t.type==tokenize.OP:
            if t.string in '([{': depth+=1
            elif t.string in ')]}': depth-=1
        prev=toks[i-1] if i else None; nxt=toks[i+1] if i+1<len(toks) else None
        if t.type==tokenize.NAME:
            if prev is not None and prev.type==tokenize.OP and prev.string=='.': continue
            if t.string in strip and nxt and nxt.string=='.':
                edits.append((pos(t.start),pos(nxt.end),''))
                continue
            if t.string in ren:
                if depth and nxt and nxt.type==tokenize.OP and nxt.string=='=' and prev and prev.string in('(',',') : 
                    # keyword argument, unless a default in def (private names are not parameters)
                    continue
                edits.append((pos(t.start),pos(t.end),ren[t.string]))
        elif t.type==tokenize.STRING:
            pre=re.match(r'[A-Za-z]*',t.string).group().lower()
            if 'f' in pre:
                new=re.sub(r'\{[^{}]*\}',lambda m:in_f(m.group()),t.string)
                if new!=t.string: edits.append((pos(t.start),pos(t.end),new))
            elif ren:
                new=t.string
                for o,n in ren.items(): new=re.sub(rf'`{re.escape(o)}`',f'`{n}`',new)
                if t.string.startswith(('"','\'')) and t.string.strip('"\'') in ren and False: pass
                if new!=t.string: edits.append((pos(t.start),pos(t.end),new))
        elif t.type==tokenize.COMMENT and ren:
            new=t.string
            for o,n in ren.items(): new=re.sub(rf'`{re.escape(o)}`',f'`{n}`',new)
            if new!=t.string: edits.append((pos(t.start),pos(t.end),new))
    for a,b,s in sorted(edits,reverse=True): code=code[:a]+s+code[b:]
    return code
def quoted_annotations(code,ren):
    return code
# ---- build new modules
def imports_edit(src,t,own_new,skip=()):
    """edits (line spans) of import statements that refer to verifflowcc; returns new text, ren/strip from intra"""
    lines=src.splitlines(keepends=True)
    edits=[]; ren={}; strip=set()
    for n in ast.walk(t):
        if n in skip: continue
        if isinstance(n,ast.ImportFrom) and n.level==0 and (n.module or '').split('.')[0]=='verifflowcc':
            out,intra=rewrite_from(n,own_new)
            same=[(n.module,a.name,a.asname) for a in n.names]
            for k,local,target in intra:
                if k=='mod': strip.add(local)
                elif local!=target: ren[local]=target
            if out==same and not intra: continue
            indent=re.match(r'\s*',lines[n.lineno-1]).group()
            last=lines[n.end_lineno-1]
            tail=last.encode()[n.end_col_offset:].decode().rstrip('\n')
            head=lines[n.lineno-1].encode()[:n.col_offset].decode()
            if head.strip():   # e.g. 'x; from a import b' or one-line if
                new=head+'; '.join(l.strip() for l in fmt_from(out,''))+tail+'\n'
                edits.append((n.lineno,n.end_lineno,[new])); continue
            new=fmt_from(out,indent)
            if not new:
                edits.append((n.lineno,n.end_lineno,[])); continue
            new[0]=new[0]+(tail if tail.strip() else '')
            edits.append((n.lineno,n.end_lineno,[x+'\n' for x in new]))
        elif isinstance(n,ast.Import) and any(a.name.split('.')[0]=='verifflowcc' and a.name in OLDMOD for a in n.names):
            indent=re.match(r'\s*',lines[n.lineno-1]).group()
            new=indent+'import '+', '.join(OLDMOD.get(a.name,a.name)+(f' as {a.asname}' if a.asname else '') for a in n.names)+'\n'
            edits.append((n.lineno,n.end_lineno,[new]))
    return lines,edits,ren,strip
def apply_line_edits(lines,edits):
    for a,b,new in sorted(edits,reverse=True): lines[a-1:b]=new
    return ''.join(lines)
def wrap(text,width=117):
    import textwrap
    return textwrap.wrap(text,width)
def build(new,parts):
    host=HOSTOF.get(new) or (new if new in parts else parts[0] if len(parts)==1 else None) or parts[-1]
    ordered=order(parts,host)
    imports=[]; typing=[]; plain=[]; codes=[]; doc=''; own_flag=False; tyassign=[]
    for p in ordered:
        src=texts[p]; t=tree(p); body=t.body
        top=[n for n in body if isinstance(n,(ast.Import,ast.ImportFrom))]
        flags=[n for n in body if ownflag(n)]
        if flags: own_flag=True
        ty=[n for n in body if istyping(n)]
        docn=body[0] if body and isinstance(body[0],ast.Expr) and isinstance(body[0].value,ast.Constant) and isinstance(body[0].value.value,str) else None
        raw=src.splitlines(keepends=True)
        ren=dict(RENAME.get(p,{})); strip=set()
        def collect(n,bucket):
            if isinstance(n,ast.Import):
                tail=raw[n.end_lineno-1].encode()[n.end_col_offset:].decode().strip()
                bucket.append(('import',[(OLDMOD.get(a.name,a.name),a.asname) for a in n.names],tail)); return
            out,intra=rewrite_from(n,new)
            for k,local,target in intra:
                if k=='mod': strip.add(local)
                elif local!=target: ren[local]=target
            tail=raw[n.end_lineno-1].encode()[n.end_col_offset:].decode().strip()
            fixed=[]
            for m_,n_,a_ in out:
                local=a_ or n_
                if local in IMPREN.get(p,{}): ren[local]=IMPREN[p][local]; a_=IMPREN[p][local]
                fixed.append((m_,n_,a_))
            out=fixed
            if out: bucket.append(('from',out,tail))
        for n in top: collect(n,imports)
        for n in ty:
            for x in n.body:
                if isinstance(x,ast.Assign):
                    a=''.join(raw[x.lineno-1:x.end_lineno]).strip()
                    if a not in tyassign: tyassign.append(a)
                else: collect(x,typing)
        skip=set(top)|{x for n in ty for x in n.body}
        lines,edits,r2,s2=imports_edit(src,t,new,skip)
        ren.update({k:v for k,v in r2.items()}); strip|=s2
        drop=[(n.lineno,n.end_lineno,[]) for n in top+ty+flags]
        if docn is not None: drop.append((docn.lineno,docn.end_lineno,[]))
        code=apply_line_edits(lines,edits+drop).strip('\n')+'\n'
        code=apply_names(code,ren,strip)
        # quoted annotations
        for o,nw in ren.items(): code=re.sub(rf'(["\'])({re.escape(o)})\1(?=[\],)\s])',rf'\1{nw}\1',code) if o in RENAME.get(p,{}) else code
        docstr=ast.get_docstring(t,clean=True) if docn is not None else ''
        if p==host: doc=raw[docn.lineno-1:docn.end_lineno] if docn is not None else []; 
        elif docstr and len(parts)>1:
            if p.endswith('__init__.py'): pass
            else:
                paras=re.split(r'\n\s*\n',docstr)
                com=[]
                for i,para in enumerate(paras):
                    if i: com.append('#')
                    if re.search(r'^ {2,}|^>>>|^\|',para,re.M): com+=['# '+l if l else '#' for l in para.splitlines()]
                    else: com+=['# '+l for l in wrap(' '.join(para.split()))]
                code='\n'.join(com)+'\n\n'+code
        codes.append(code.strip('\n'))
    head=''.join(doc).rstrip('\n')+'\n' if doc else ''
    # imports dedupe
    plainset={}; fromset={}; tails={}
    for k,v,tail in imports:
        if k=='import':
            for m,a in v: plainset[(m,a)]=plainset.get((m,a)) or tail
        else:
            for m,n,a in v: fromset[(m,n,a)]=fromset.get((m,n,a)) or tail
    tyset={}
    for k,v,tail in typing:
        if k=='from':
            for m,n,a in v:
                if (m,n,a) not in fromset: tyset[(m,n,a)]=tail
        else:
            for m,a in v:
                if (m,a) not in plainset: tyset[('',m,a)]=tail
    out=[head]
    for (m,a),tail in plainset.items(): out.append(f"import {m}{' as '+a if a else ''}{'  '+tail if tail else ''}\n")
    if own_flag: fromset.pop(('typing','TYPE_CHECKING',None),None)
    by=defaultdict(list)
    for (m,n,a),tail in fromset.items(): by[m].append((n,a,tail))
    for m,v in by.items():
        quiet=[x for x in v if not x[2]]
        if quiet: out.append('\n'.join(fmt_from([(m,n,a) for n,a,_ in quiet],''))+'\n')
        for n,a,tail in v:
            if tail: out.append(f"from {m} import {n}{' as '+a if a else ''}  {tail}\n")
    if own_flag: out.append('\nTYPE_CHECKING = False\n')
    if tyset or tyassign:
        if own_flag: pass
        elif ('typing','TYPE_CHECKING',None) not in fromset: out.append('from typing import TYPE_CHECKING\n')
        out.append('\nif TYPE_CHECKING:\n')
        for (m,n,a),tail in tyset.items():
            if m=='': out.append(f"    import {n}{' as '+a if a else ''}{'  '+tail if tail else ''}\n")
            else: out.append(f"    from {m} import {n}{' as '+a if a else ''}{'  '+tail if tail else ''}\n")
        if tyassign: out.append('\n'+''.join(f'    {a}\n' for a in tyassign))
    return '\n'.join([''.join(out)]+['\n'+c+'\n' for c in codes])
newtexts={}
for new,parts in groups.items():
    newtexts[new]=build(new,parts)
# ---- others: importers inside and outside of package
changed={}
def rewrite_file(text,own=None):
    t=ast.parse(text)
    lines,edits,ren,strip=imports_edit(text,t,None)
    return apply_line_edits(lines,edits) if edits else text
for p in exist:
    if p in MAP: continue
    r=rewrite_file(texts[p])
    if r!=texts[p]: newtexts[p]=r
others=[f for f in subprocess.run(['git','ls-files'],cwd=ROOT,capture_output=True,text=True,check=True).stdout.split('\n') if f and not f.startswith('verifflowcc/')]
for f in others:
    if f.endswith('.py'):
        s=(ROOT/f).read_text()
        if 'verifflowcc' in s:
            r=rewrite_file(s)
            if r!=s: changed[f]=r
# strings
dots=sorted(((o,n) for o,n in OLDMOD.items() if o!=n),key=lambda x:-len(x[0]))
paths=sorted(((o,n) for o,n in MAP.items() if o!=n),key=lambda x:-len(x[0]))
dotmap=dict(dots); 
dre=re.compile(r'(?<![\w.])('+'|'.join(re.escape(o) for o,_ in dots)+r')(?![\w])(?!\.py)') if dots else None
pre=re.compile(r'(?<![\w-])verifflowcc/('+'|'.join(re.escape(o) for o,_ in paths)+r')(?!\w)') if paths else None
pmap=dict(paths)
short=re.compile(r'(?<![\w/.-])('+'|'.join(re.escape(o) for o,_ in paths if '/' in o)+r')(?!\w)') if paths else None  # short old paths
def strings(s):
    if dre is not None: s=dre.sub(lambda m:dotmap[m.group(1)],s)
    if pre is not None: s=pre.sub(lambda m:'verifflowcc/'+pmap[m.group(1)],s)
    return s
SKIP=('.memory/sprint/','.memory/stage/','.memory/project/decisions/','.memory.example/','tests/golden/','CHANGELOG.md','benchmarks/results/','.ci/notes')
for f in others:
    if f.startswith(SKIP): continue
    try: s=changed.get(f) or (ROOT/f).read_text()
    except (UnicodeDecodeError,IsADirectoryError,FileNotFoundError): continue
    r=strings(s)
    if f.startswith('tests/') and f.endswith('.py') and short is not None: r=short.sub(lambda m:pmap[m.group(1)],r)
    if r!=s: changed[f]=r
for p in list(newtexts): newtexts[p]=strings(newtexts[p])
for p in exist:
    if p not in newtexts and p not in MAP:
        r=strings(texts[p])
        if r!=texts[p]: newtexts[p]=r
# ---- write
def git(*a): subprocess.run(['git',*a],cwd=ROOT,check=True,stdout=subprocess.DEVNULL)
for new,parts in groups.items():
    for o in parts:
        if o!=new and o not in groups: (PKG/o).unlink()
for new in groups:
    (PKG/new).parent.mkdir(parents=True,exist_ok=True)
for p,s in newtexts.items(): (PKG/p).write_text(s)
for f,s in changed.items(): (ROOT/f).write_text(s)
# packages
docs=PLAN.get('packages',{})
dirs={p.parent for p in PKG.rglob('*.py')}
for d in sorted(dirs):
    q=d
    while q!=PKG:
        init=q/'__init__.py'
        rel=q.relative_to(PKG).as_posix()
        if not init.exists() and 'reporter' not in rel: init.write_text(f'"""{docs.get(rel,"Part of vfcc: "+rel+".")}"""\n')
        q=q.parent
for d in sorted(PKG.rglob('*'),key=lambda x:-len(x.parts)):
    if d.is_dir() and d.name!='__pycache__':
        left=[x for x in d.iterdir() if x.name!='__pycache__']
        if left==[d/'__init__.py'] and len((d/'__init__.py').read_text().splitlines())<=1: (d/'__init__.py').unlink(); left=[]
        if not left:
            import shutil; shutil.rmtree(d)
print('groups',len(groups),'written',len(newtexts),'others',len(changed),'renames',sum(map(len,RENAME.values())))
json.dump({k:v for k,v in RENAME.items() if v},open('renames.json','w'),indent=0)
