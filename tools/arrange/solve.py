import sys,json,random,re,itertools
sys.path.insert(0,'house')
from graph import *
ROOT=sys.argv[1]
files,mods,eager,lazy,typing=load(ROOT)
PURE={"context","workflow","recall","lifecycle","trace","codegraph","episodes","clients","proving","packing","formats","text","domain","errors.py","records.py"}
def layer(p):
    t=p.split('/')[0]
    if p in('__main__.py','pytest_plugin.py','__init__.py') or t=='fast': return 'fast'
    return 'rules' if t in PURE else 'store' if t=='adapters' else 'use' if t=='services' else 'cli' if t=='cli' else 'fast'
AB={'x':'lifecycle/extract','sm':'services/memory','sh':'services/hooks','shi':'services/history','sw':'services/window','srec':'services/recall','sp':'services/proving','sc':'services/code'}
bystem=defaultdict(list)
for p in files: bystem[Path(p).stem].append(p)
groups={};capprior={};stem={};gid={}
missing=[]
for line in open('plan.txt'):
    line=line.strip()
    if not line or line[0]=='#': continue
    left,right=line.split(' = '); cap,name=left.split()
    ps=[]
    for t in right.split():
        if '/' in t:
            a,_,b=t.partition('/'); path=(AB[a]+'/'+b if a in AB else t)+'.py'
            if path in files: ps.append(path)
            else: missing.append(t)
        else:
            c=[p for p in bystem.get(t,[])]
            if len(c)==1: ps.append(c[0])
            elif len(c)>1: print('AMBIGUOUS',t,c)
            else: missing.append(t)
    for p in ps:
        if p in gid: print('TWICE',p)
    if not ps: continue
    if len({layer(p) for p in ps})>1:
        # promote: rules merged in an impure file are allowed when the host (first) is impure
        ls=[layer(p) for p in ps]; 
        print('MIXED',cap,name,[(p,layer(p)) for p in ps])
    g=f'{cap} {layer(ps[0])} {name}'
    groups[g]=ps; capprior[g]=cap; stem[g]=name
    for p in ps: gid[p]=g
print('missing',missing)
un=[p for p in files if p not in gid and not p.endswith('__init__.py') and layer(p)!='fast']
print('UNASSIGNED',len(un),un)
for p in un:
    g=f'? {layer(p)} {Path(p).stem}'; 
    while g in groups: g+='_'
    groups[g]=[p]; gid[p]=g; stem[g]=Path(p).stem; capprior[g]=None
for p in files:
    if layer(p)=='fast' and not p.endswith('__init__.py'): g='fast fast '+p; groups[g]=[p]; gid[p]=g; stem[g]=Path(p).stem; capprior[g]='fast'
gE=defaultdict(set); gL=defaultdict(set); pairs=defaultdict(list)
for d,o in ((eager,gE),(lazy,gL)):
    for a in d:
        for b in d[a]:
            if a in gid and b in gid and gid[a]!=gid[b]: o[gid[a]].add(gid[b]); pairs[gid[a],gid[b]].append((a,b,'' if d is eager else 'lazy'))
out={g:gE[g]|gL[g] for g in groups}
# circles
sys.setrecursionlimit(10000)
from benchmarks_house import circles_of
circ=circles_of({g:frozenset(out[g]) for g in groups})
print('CIRCLES',len(circ))
for c in circ:
    c=sorted(c); print('  circle of',len(c))
    for a in c:
        for b in c:
            if b in out[a]: print('     ',a,'->',b,pairs[a,b][:4])
# caps
RANK={'base':0,'items':1,'code':2,'sprint':2,'memory':3,'trace':3,'history':4,'gates':4.5,'prompt':5,'clients':6,'cli':8}
CAPS=list(RANK)
inn=defaultdict(set)
for a in out:
    for b in out[a]: inn[b].add(a)
def edge(ca,cb):
    if ca==cb or 'fast' in(ca,cb): return 0
    if RANK[ca]<=RANK[cb]: return 40
    return 0.4 if cb=='base' else 1
FIX={g:'fast' for g in groups if capprior[g]=='fast'}
FIXC=json.load(open('fixcap.json')) if os.path.exists('fixcap.json') else {}
for g in groups:
    if stem[g] in FIXC: FIX[g]=FIXC[stem[g]]
def cost(p,c,asg):
    if p in FIX: return 0 if FIX[p]==c else 1e6
    s=sum(edge(c,asg[b]) for b in out[p])+sum(edge(asg[a],c) for a in inn[p])
    if capprior[p] and capprior[p]!=c: s+=6
    if c=='base' and capprior[p]!='base': s+=3
    return s
random.seed(3)
nodes=list(groups)
asg={g:FIX.get(g) or capprior[g] or 'prompt' for g in nodes}
for rnd in range(60):
    order=nodes[:]; random.shuffle(order); ch=0; T=max(0,3-rnd*0.1)
    for p in order:
        if p in FIX: continue
        m=min((cost(p,c,asg)+(random.random()*T*3),c) for c in CAPS)[1]
        if m!=asg[p] and (T or cost(p,m,asg)<cost(p,asg[p],asg)): asg[p]=m; ch+=1
    if not T and not ch: break
viol=[(a,b) for a in nodes for b in out[a] if edge(asg[a],asg[b])==40]
print('VIOL',len(viol))
for a,b in sorted(viol): print('  ',stem[a],asg[a],'->',stem[b],asg[b],pairs[a,b][:3])
mv=[(g,asg[g]) for g in nodes if capprior[g] and capprior[g]!=asg[g]]
print('MOVED',len(mv))
for g,c in sorted(mv,key=lambda x:(x[1],x[0])): print('  ',g,'=>',c)

for q in sys.argv[2:]:
    for g in groups:
        if stem[g]==q: print('OUT',g,asg[g],sorted((stem[b],asg[b]) for b in out[g] if asg[b]!='base'),'IN',sorted((stem[a],asg[a]) for a in inn[g]))
print('free',[(stem[g],asg[g]) for g in nodes if capprior[g] is None])
# layers upward within pure: rules must not import store/use..
# stems unique
cs=Counter(stem[g] for g in groups)
print('DUPSTEMS',[s for s,c in cs.items() if c>1])
sz={g:sum(len(files[p].splitlines())-8 for p in ps)+8 for g,ps in groups.items()}
print('BIG',[(g,n) for g,n in sz.items() if n>560])
print('SMALL',sorted((n,g) for g,n in sz.items() if n<75))
print('COUNT',len(groups),Counter(asg[g] for g in groups))
json.dump({'groups':groups,'asg':asg,'stem':stem},open('solved.json','w'),indent=0)
# startup: eager closure growth per traced command
sig={k:set(v) for k,v in json.load(open('sig.json')).items()}
cmds=sorted({c for v in sig.values() for c in v})
n={p:len(files[p].splitlines()) for p in files}
rep=[]
for c in cmds:
    loaded={p for p in sig if c in sig[p] and p in gid}
    before=sum(n[p] for p in loaded)
    gs={gid[p] for p in loaded}
    # closure over eager group edges
    st=list(gs)
    while st:
        g=st.pop()
        for b in gE[g]:
            if b not in gs: gs.add(b); st.append(b)
    after=sum(n[p] for g in gs for p in groups[g])
    before and rep.append((after/before-1,c,before,after,len(loaded),len(gs)))
rep.sort(reverse=True)
for r in rep[:12]: print('%+.0f%% %s %d -> %d lines, %d -> %d files'%(r[0]*100,*r[1:]))
for r in rep:
    if r[1].startswith(('h','1:','4:')): print('%+.0f%% %s %d -> %d lines, %d -> %d files'%(r[0]*100,*r[1:]))
print('--- offenders')
# part-level eager closure
from functools import lru_cache
E1={p:{b for b in eager[p] if b in gid} for p in files}
def clos(p):
    seen={p}; st=[p]
    while st:
        x=st.pop()
        for b in E1.get(x,()):
            if b not in seen: seen.add(b); st.append(b)
    return seen
CL={p:clos(p) for p in gid}
off=Counter(); offc=defaultdict(set)
for c in cmds:
    loaded={p for p in sig if c in sig[p] and p in gid}
    for g in {gid[p] for p in loaded}:
        for p in groups[g]:
            if p not in loaded:
                extra=sum(n[q] for q in CL[p]-loaded)
                extra-= n[p]
                if extra>150: off[p]+=extra; offc[p].add(c)
for p,v in off.most_common(70): print(v//len(offc[p]),len(offc[p]),p,'in',stem[gid[p]],sorted(offc[p])[:2])
print('--- one'); c=os.environ.get('CMD','46:--help')
loaded={p for p in sig if c in sig[p] and p in gid}
gs={gid[p] for p in loaded}; st=list(gs); why={}
while st:
    g=st.pop()
    for b in gE[g]:
        if b not in gs: gs.add(b); st.append(b); why[b]=g
for b,g in why.items(): print('  new',stem[b],sum(n[p] for p in groups[b]),'by',stem[g],pairs[g,b][:2])
