import json,re
from pathlib import Path
d=json.load(open('solved.json'))
SUB={'rules':'rules','store':'store','use':'use','cli':'cli'}
out={};new={}
RENAME=json.load(open('rename.json')) if Path('rename.json').exists() else {}
def basesub(host):
    p=host.split('/')
    if len(p)==1: return ''
    t=p[0]
    if t=='domain': return 'model'
    if t=='text': return 'text'
    if t in('formats','workflow','trace','context','lifecycle','recall','packing'): return 'formats' if t in('formats','trace','context') else 'model'
    if t=='adapters':
        s=p[1].removesuffix('.py')
        return {'config':'config','files':'files','git':'git','index':'index','process':'process','tokens':'tokens','project':'files','actor':'process','clock':'process','observer':'process','stamps':'files','scanning':'files','workflows':'files','foreign':'files','shipped':'files'}[s]
    if t=='services': return 'use'
    if t=='cli': return 'terminal'
    raise SystemExit(host)
for g,ps in d['groups'].items():
    cap=d['asg'][g]; layer=g.split()[1]; st=d['stem'][g]; host=ps[0]
    if cap=='fast': continue
    if st in('vfcc_prove_reporter','vfcc_prove_unittest'): path=f'gates/store/reporter/{st}.py'
    elif cap=='base':
        s=basesub(host); path=f"base/{s+'/' if s else ''}{st}.py"
    else: path=f'{cap}/{layer}/{st}.py'
    path=RENAME.get(path,path)
    if path in new: raise SystemExit(f'twice {path} {new[path]} {ps}')
    new[path]=ps
m={};host={}
for n,ps in new.items():
    host[n]=ps[0]
    for p in ps: m[p]=n
L={'rules':'pure values and rules','store':'what is read and written','use':'one function per use case','cli':'its commands: parse, call, show'}
C={'base':'The kernel','items':'Items of memory and trace','code':'The code graph','sprint':'Sprints, workflows and their ledger','memory':'The life of items','trace':'The trace','history':'What agents did','gates':'Gates and their evidence','prompt':'Prompts','clients':"Hooks of agent clients",'cli':'The command line','fast':'The entry point'}
pk={'base':'The kernel: values, text, files, git, configuration and the terminal; it knows no capability.'}
for c,t in C.items():
    if c!='base': pk[c]={'items':'One kind of item for memory and trace: front matter, fields, links, files.','code':'The code graph: read, resolve, rank, pick pieces.','sprint':'Workflows, the ledger and its fold, stages, feedback.','memory':'The life of items: learn, replace, decay, recall, and what waits for a person.','trace':'Rules over items from need to test: coverage, impact, matrix, imports and exports.','history':'What agents did: events, questions, patterns, the working window.','gates':'Gates: evidence, criteria, approvals, waivers, canaries, proofs.','prompt':'Prompts: gather, rank, pack, render.','clients':'Agent clients: briefs and answers at their hooks.','cli':'The command line: it puts the commands together.','fast':'The entry point.'}[c]
    for l,x in L.items(): pk[f'{c}/{l}']=f'{t}: {x}.'
for s,x in {'model':'Values that several capabilities share; pure.','text':'Texts: digests, Markdown, ids, dates, secrets; pure.','formats':'File formats that several capabilities share; pure.','config':'`config.yaml` and the settings of a person: read, validated, cached.','files':'Files and folders: read, written, walked, locked.','git':'git: started in one place, and read without it where that is faster.','index':'The index: derived tables in SQLite.','process':'Processes, the clock, and who acts.','tokens':'Tokens, counted exactly without a network.','use':'What every use case begins with: the workspace, and documents.','terminal':'The terminal: output, tables, options that commands share.'}.items(): pk['base/'+s]=x
json.dump({'map':m,'host':host,'packages':pk},open('full.json','w'),indent=0)
print(len(new),'files; packages',len({str(Path(p).parent) for p in new}|{p.split('/')[0] for p in new}))
from collections import Counter
st=Counter(Path(p).stem for p in new); print('shared stems',[s for s,c in st.items() if c>1])
