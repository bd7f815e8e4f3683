import json,re,sys
EXTRA=[]
d=json.load(open('full.json'))['map']
old="""adapters.index.symbol_names adapters.config.cached_record adapters.files.after_edit adapters.files.partitions adapters.files.sent_prompts adapters.git.shared clients.answer clients.client clients.codex clients.encode domain.agent_clients domain.command_words episodes.briefed episodes.file_notes episodes.permission episodes.shape text.context_marks text.quick_json text.secrets""".split()
new=sorted({'verifflowcc.'+d[o.replace('.','/')+'.py'][:-3].replace('/','.') for o in old if o.replace('.','/')+'.py' in d} | set(EXTRA))
s=open('new/test_imports.py').read().replace('@@HOOKS@@','\n'.join(f'    "{n}",' for n in new))
open(sys.argv[1]+'/tests/pure/test_imports.py','w').write(s)
h=sys.argv[1]+'/benchmarks/house.py'
t=open(h).read()
t=t.replace('("gates", 4),\n    ("prompt", 5),\n    ("clients", 6),\n    ("mcp", 7),\n    ("run", 7),\n    ("report", 7),\n    ("cli", 8),','("gates", 5),\n    ("prompt", 6),\n    ("clients", 7),\n    ("mcp", 8),\n    ("run", 8),\n    ("report", 8),\n    ("cli", 9),')
t=t.replace('"""The capabilities, lowest first; equals do not import each other. `fast` is beside them."""','"""The capabilities, lowest first; equals do not import each other. `fast` is beside them.\n\nGates are above the history: a gate asks it who edited a file outside of its stage.\n"""')
if 'def upward_imports' not in t:
    t=t.replace('def _source_files(','def upward_imports(package: Path) -> list[tuple[str, str]]:\n    """Return the pairs (importer, imported) against the order of the capabilities, as paths below the package."""\n    return _upward(_imports(_source_files(package)), {})\n\n\ndef _source_files(',1)
open(h,'w').write(t)
