"""Ways around the rules for files: git's verbs, tricks of the shell, edit tools, MCP tools and subagents."""

from tests.roles.attempts import Attempt, as_coder, as_planner, edit, mcp, shell
from tests.roles.roles_world import EVENTS, ID, coding, planning, two_sprints, without_hooks, without_tools

PLANNER = "the role planner (stage planning) may not"
RULES = "only a person changes it"
RECORD = "only vfcc writes there"
CLOSED = "closed to every agent"
WHO = "git's settings say who commits"
CHANGED = "rules (hard)"
CONFIG = ".memory/config.yaml"
RULES_OFF = "printf 'hooks:\\n  tools: \"off\"\\n' >> .memory/config.yaml"
ENCODED = "cHJpbnRmICdob29rczpcbiAgdG9vbHM6ICJvZmYiXG4nID4+IC5tZW1vcnkvY29uZmlnLnlhbWwK"
"""`RULES_OFF`, as `base64` writes it."""

GIT = (
    as_planner("git-apply", "git apply change.patch", hook=PLANNER),
    as_planner("git-reset-hard", "git reset --hard HEAD~1", hook=PLANNER),
    as_planner("git-push-force", "git push --force origin HEAD~2:main", hook=PLANNER),
    as_planner(
        "git-checkout-of-an-older-file",
        "git checkout HEAD~1 -- tests/run.sh",
        hook=PLANNER,
        before="git rm -q --cached tests/run.sh && git commit -qm gone",
    ),
    as_planner("git-stash", "git stash", hook=PLANNER, before="echo more >> README.md"),
    as_planner("git-alias", "git -c alias.x='!echo x > src/app.py' x", hook=CLOSED),
    as_planner("git-output", "git diff --output=src/app.py HEAD~1", hook=PLANNER),
    as_planner(
        "git-external-diff",
        "GIT_EXTERNAL_DIFF='rm src/app.py;' git diff HEAD~1",
        hook="GIT_ variables",
        before="echo more >> README.md",
    ),
    as_planner("git-switch", "git switch --quiet --create other", hook=PLANNER),
    as_planner("git-worktree", "git worktree add -q ../elsewhere", hook=PLANNER),
    as_planner("git-update-index", "git update-index --assume-unchanged src/app.py", hook=PLANNER),
    as_coder("git-hooks-path", "git config core.hooksPath src/hooks", hook=CLOSED),
    as_coder("git-settings-of-the-machine", "git config --global user.name Other", hook=CLOSED),
    as_coder("git-signing-keys", "git config gpg.ssh.allowedSignersFile src/keys", hook=CLOSED),
    as_coder(
        "git-checkout-of-older-rules",
        f"git checkout HEAD~1 -- {CONFIG}",
        hook=CLOSED,
        before=f"echo >> {CONFIG} && git commit -qam more",
    ),
    as_coder("git-rm-of-the-ledger", f"git rm -rq {EVENTS}", hook=CLOSED),
)
"""Verbs and options of git."""

SHELL = (
    as_coder("redirect", RULES_OFF, hook=RULES, gate=CHANGED),
    as_coder("tee", "echo '# x' | tee -a .memory/agent/coder/tools.yaml", hook=RULES, gate=CHANGED),
    as_coder("sed-in-place", "sed -i 's/vfcc hook claude/true/' .claude/settings.json", hook=RULES, gate=CHANGED),
    as_coder("python-c", f"python3 -c \"open('{CONFIG}', 'a').write('#')\"", hook=RULES, gate=CHANGED),
    as_coder("here-document", "cat > .memory/workflow.yaml <<'END'\nname: own\nEND", hook=RULES, gate="workflow.yaml"),
    as_coder("cd-first", "cd .memory && echo '# x' >> config.yaml", hook=RULES, gate=CHANGED),
    as_coder("symbolic-link", f"ln -s {CONFIG} notes && echo '# x' >> notes", hook=RULES, gate=CHANGED),
    as_coder(
        "older-symbolic-link",
        "echo '# x' >> src/link/config.yaml",
        hook=RULES,
        gate=CHANGED,
        before="ln -s ../.memory src/link",
    ),
    as_coder("hard-link", f"ln {CONFIG} notes && echo '# x' >> notes", hook=RULES, gate=CHANGED),
    as_coder("glob", "for f in .mem*/conf*.yaml; do echo '# x' >> $f; done", hook=RULES, gate=CHANGED),
    as_coder("variable", "D=.memory; echo '# x' >> $D/config.yaml", hook=RULES, gate=CHANGED),
    as_coder("xargs", f"echo {CONFIG} | xargs sed -i 's/own/light/'", hook=RULES, gate=CHANGED),
    as_coder(
        "find-exec",
        'find .memory -name config.yaml -exec sh -c \'echo "# x" >> "$0"\' {} \\;',
        hook=RULES,
        gate=CHANGED,
    ),
    as_coder("copy-over", f"cp README.md {CONFIG}", hook=RULES, gate="config.yaml"),
    as_coder(
        "no-history",
        "rm -rf .memory/local/history",
        hook=RECORD,
        before="mkdir -p .memory/local/history && touch .memory/local/history/x",
    ),
    as_coder("no-local-folder", "rm -rf .memory/local", hook=RECORD),
    as_coder("no-client-settings", "rm .claude/settings.json", hook=RULES, gate=CHANGED),
    as_coder(
        "stray-event",
        f"echo '{{}}' > {EVENTS}/01M83JJJ38EV6JQWQ8TGJJ8XCC.json",
        hook=RECORD,
        gate="01M83JJJ38EV6JQWQ8TGJJ8XCC.json",
    ),
    as_coder("archive-over-the-rules", f"git archive -o {CONFIG} HEAD", hook=CLOSED, gate="config.yaml"),
    as_coder("patches-among-the-rules", "git format-patch -q -o .memory HEAD~1", hook=CLOSED),
    as_coder("bundle-over-the-rules", f"git bundle create -q {CONFIG} HEAD", hook=CLOSED, gate="config.yaml"),
    as_coder("git-show-over-the-rules", f"git show --output={CONFIG}", hook=CLOSED, gate="config.yaml"),
    as_coder("worktree-in-the-rules", "git worktree add -q .memory/x", hook=CLOSED),
    as_coder("clone-into-the-repository", "git clone -q . .git/x", hook=CLOSED, before="rm -rf .git/x"),
    as_coder("rebase-that-runs", f"git rebase -q --exec 'echo >> {CONFIG}; git commit -qam x' HEAD~1", hook=RULES),
    as_coder(
        "bisect-that-runs",
        f"git bisect start -q HEAD HEAD~3; git bisect run sh -c 'echo >> {CONFIG}'",
        hook=RULES,
    ),
    as_coder("git-folder-of-an-own-template", "git init -q --template=src", hook=CLOSED),
    as_coder("name-read-by-the-shell", f"f=x; read f <<END\n{CONFIG}\nEND\necho >> $f", hook=RULES, gate=CHANGED),
    as_coder("command-made-by-a-command", f"sh -c \"$(printf 'echo >> {CONFIG}')\"", hook=RULES, gate=CHANGED),
    as_coder(
        "path-read-from-a-text",
        f"cat <<'END' | while read f; do echo >> $f; done\n{CONFIG}\nEND",
        hook=RULES,
        gate=CHANGED,
    ),
    as_coder(
        "name-of-another-in-a-commit",
        "export GIT_AUTHOR_NAME=Other; git commit -q --allow-empty -m approved",
        hook=WHO,
        listed="name-in-a-commit",
    ),
    as_coder("author-of-a-commit", "git commit -q --allow-empty -m x --author 'Other <o@example.org>'", hook=WHO),
    as_coder("author-of-another-commit", "git commit -q --allow-empty -C HEAD~1", hook=WHO),
    as_coder("base64-into-a-shell", f"echo {ENCODED} | base64 -d | sh", gate=CHANGED, listed="script"),
    as_planner("base64-into-a-shell-in-planning", f"echo {ENCODED} | base64 -d | sh", hook=PLANNER, gate=CHANGED),
    shell("sprint-chosen-in-the-command", two_sprints, "VFCC_SPRINT=log-in tee src/app.py < README.md", hook="log-out"),
    as_planner("awk-that-writes", 'awk \'BEGIN { print "x" > "src/app.py" }\'', hook=PLANNER),
    as_planner("find-that-deletes", "find src -name app.py -delete", hook=PLANNER),
    as_planner("quoted-product", "echo x > 'src/'app.py", hook=PLANNER),
)
"""Tricks of a shell."""

TOOLS = (
    edit("rules-off-in-coding", coding, CONFIG, hook=RULES, gate="config.yaml"),
    edit("tools-file-in-coding", coding, ".memory/agent/coder/tools.yaml", hook=RULES, gate="tools.yaml"),
    edit("workflow-file-in-coding", coding, "@ROOT@/.memory/workflow.yaml", hook=RULES, gate="workflow.yaml"),
    edit("client-settings-in-coding", coding, ".claude/settings.json", hook=RULES, gate="settings.json"),
    edit("allowed-commands-in-coding", coding, "@ROOT@/../.local/share/vfcc/allowed.json", hook=RULES),
    edit("settings-of-the-machines-git", coding, "@ROOT@/../.gitconfig", hook=RULES),
    edit("git-config-in-coding", coding, ".git/config", hook=CLOSED),
    edit("git-hook-in-coding", coding, "src/../.git/hooks/pre-commit", hook=CLOSED),
    edit("snapshot-of-the-rules", coding, ".memory/local/hook.json", hook=RECORD),
    edit(
        "evidence-by-hand",
        coding,
        f".memory/stage/{ID}/coding/evidence/01M83JJJ38EV6JQWQ8TGJJ8XCC.json",
        hook=RECORD,
    ),
    edit("artifact-of-another-sprint", planning, ".memory/stage/log-out/planning/artifacts/plan.md", hook=PLANNER),
    edit("artifact-of-another-stage", planning, f".memory/stage/{ID}/coding/artifacts/changes.md", hook=PLANNER),
    edit("product-with-two-sprints", two_sprints, "src/app.py", hook="log-out"),
    edit("product-without-a-tools-file", without_tools, "src/app.py", hook="the role planner"),
    edit("product-with-an-unknown-role", planning, "src/app.py", hook="ghost", env={"VFCC_AGENT": "ghost"}),
    edit("product-by-a-subagent-of-a-wider-role", planning, "src/app.py", hook="may not", agent_type="coder"),
    edit("product-by-a-subagent-of-no-role", planning, "src/app.py", hook="may not", agent_type="general-purpose"),
    edit("product-by-a-subagent-that-only-reviews", coding, "src/app.py", hook="reviewer", agent_type="reviewer"),
    edit("product-with-another-role", planning, "src/app.py", hook="may not", env={"VFCC_AGENT": "coder"}),
    edit("product-without-hooks", without_hooks, "src/app.py", hook=PLANNER, gate="src/app.py"),
    Attempt(
        "notebook-in-planning",
        planning,
        "NotebookEdit",
        {"notebook_path": "src/app.ipynb", "new_source": "x"},
        hook=PLANNER,
    ),
)
"""Tools that edit files."""

MCP = (
    mcp(
        "mcp-product-in-planning", planning, "files__write_file", {"path": "src/app.py", "content": "x"}, hook="planner"
    ),
    mcp(
        "mcp-ledger",
        coding,
        "files__write_file",
        {"path": f"{EVENTS}/x.json", "content": "{}"},
        hook=RECORD,
    ),
    mcp("mcp-config", coding, "files__edit_file", {"path": f"@ROOT@/{CONFIG}", "edits": []}, hook=RULES),
    mcp("mcp-nested-path", coding, "files__batch", {"edits": [{"file": {"name": CONFIG}, "text": "x"}]}, hook=RULES),
    mcp("mcp-file-uri", coding, "files__put", {"uri": f"file://@ROOT@/{CONFIG}", "text": "x"}, hook=RULES),
    mcp(
        "mcp-move-over",
        coding,
        "files__move_file",
        {"source": "README.md", "destination": ".claude/settings.json"},
        hook=RULES,
    ),
    mcp("mcp-shell-in-planning", planning, "shell__run", {"command": "echo x > src/app.py"}, hook="planner"),
)
"""Tools of MCP servers."""

AT_FILES = (*GIT, *SHELL, *TOOLS, *MCP)
