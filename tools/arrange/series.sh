set -e
cd 
commit() { .venv/bin/ruff check --fix -q . >/dev/null || true; .venv/bin/ruff format -q .; git add -A; git diff --cached --quiet || git commit -qm "$1"; }
for stage in merge move; do
for cap in base items code sprint memory trace history gates prompt clients cli; do
python3 - $stage $cap <<'P'
import json,sys
stage,cap=sys.argv[1:]
f=json.load(open('full.json'))
new={}
for o,n in f['map'].items(): new.setdefault(n,[]).append(o)
m={};host={}
for n,ps in new.items():
    if n.split('/')[0]!=cap: continue
    h=f['host'][n]
    if stage=='merge':
        if len(ps)>1:
            for p in ps: m[p]=h
            host[h]=h
    else: m[h]=n; host[n]=h
json.dump({'map':m,'host':host,'packages':f['packages']},open('part.json','w'))
print(stage,cap,len(m))
P
python3 arrange.py . part.json --force > part.log 2>&1 || { tail -5 part.log; exit 1; }
if [ $stage = move ] && [ $cap = base ]; then mkdir -p verifflowcc/base/tokens; git mv verifflowcc/adapters/tokens/data verifflowcc/base/tokens/data; fi
if [ $stage = merge ]; then commit "structure: $cap: small modules belong to the one that needs them"; else commit "structure: $cap has a folder of its own"; fi
done; done
git log --oneline | head -25; find verifflowcc -name '*.py' | wc -l; ls verifflowcc
