"""Which roles may run which command lines: git by its verb, vfcc by its class, and what is closed to every agent."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.config.tools_file import WITHOUT_A_FILE, parse_tools
from verifflowcc.base.model.trace_codes import TEST_FILES
from verifflowcc.history.rules.permission import denied

AGENTS = Path(__file__).parents[3] / "templates" / "agents"
VERSION_1 = b"tools:\n  - name: read\n  - name: search\n  - name: edit\n    paths: ['**']\n  - name: run\n"
ROLES = ("planner", "reviewer", "tester", "coder", "version 1", "no file")
ALL = frozenset(ROLES)
NONE: frozenset[str] = frozenset()
SHIPPED = ALL - {"version 1", "no file"}
RUN = frozenset(("reviewer", "tester", "coder", "version 1"))
GIT_WRITE = frozenset(("coder",))
ARTIFACTS = ".memory/stage/s/coding/artifacts"
EVENT = ".memory/sprint/s/events/1.json"

EDIT = frozenset(("coder", "version 1"))
TABLE: dict[frozenset[str], str] = {
    ALL: r"""
cat src/a.py
grep -rn x src | head -5
ls -la
find . -name '*.py'
sed -n 1,5p a
cat a | jq .x
git status
git status --short
git log --oneline -5
git log -p src/a.py
git diff HEAD~1
git show
git blame a.py
git grep -n total
git ls-files src
git rev-parse HEAD
git branch
git branch -a
git branch --show-current
git branch --contains HEAD
git tag
git tag -l 'v*'
git tag -n3
git remote
git remote -v
git remote get-url origin
git stash list
git stash show
git reflog
git config --get user.name
git config user.email
git config --list
git config get x.y
git worktree list
git submodule status
git symbolic-ref HEAD
git describe
git shortlog -s
git cat-file -p HEAD:a
git --no-pager log
git -c color.ui=never diff
GIT_PAGER=cat git log
git --version
git help
git check-ignore x
git merge-base a b
git -C /p log
cd src && git diff
vfcc status
vfcc next
vfcc check gate
vfcc doctor
vfcc memory search x
vfcc --help
vfcc
vfcc approve --help
vfcc memory forget --source x --dry-run
vfcc -C src -q status
vfcc config check
vfcc help approve
vfcc stage put plan.md --file a.md
vfcc allow --check
vfcc evidence run
vfcc approve plan --request
vfcc task note 'it works'
vfcc approve --signed HEAD
vfcc sprint resolve x
cat .memory/config.yaml
ls .memory/sprint/s/events/1.json
git diff .memory/config.yaml
git log -- .claude/settings.json
LC_ALL=C grep -c x a
.venv/bin/vfcc status
python -m verifflowcc status
echo .memory/config.yaml
vfcc stage put plan <<'EOF'\nuse `vfcc approve` and git push\nEOF
uv run vfcc status
""",
    SHIPPED: r"""
vfcc stage advance
vfcc stage reopen planning
vfcc sprint start 'A'
vfcc sprint close
vfcc status && vfcc stage advance
python3 -m verifflowcc stage advance
uv run vfcc stage advance
timeout 60 vfcc stage advance
vfcc -C src -q stage advance
vfcc -C 'x status' stage advance
vfcc stage advance 'x --help'
""",
    RUN: r"""
make test
python -m pytest -q
npm test
cat a && make
echo $(make)
X=1 make
./git log
PATH=/tmp/x cat a
PAGER='sh -c x' cat a
env FOO=1 make
timeout 60 make test
sh -c 'make test'
find . -exec grep x {} +
cp .memory/config.yaml /tmp/x
rm /tmp/x
pytest --junitxml=.memory/local/reports/test.junit.xml
for f in src/*.py; do wc -l $f; done
for r in a b; do cat .memory/agent/$r/tools.yaml; done
find . -name '*.py' -not -path './.git/*' -exec wc -l {} +
find . -path ./.git -prune -o -name '*.pyc' -delete
grep -rl x src --exclude-dir .git | xargs sed -i s/a/b/
tar czf /tmp/x.tgz --exclude .git --exclude=.memory .
rsync -a --exclude .git src/ /tmp/x/
cat .memory/config.yaml | python -c 'import sys, yaml; print(sys.stdin.read() == "empty")'
python -c 'print(x.empty)'; vfcc status
mkdir -p .github/workflows .claude
CI=1 npm test; vfcc status
docker run -v $PWD/.git:/x image
sudo vfcc status
""",
    EDIT: r"""
rm -r src
mv src/a.py src/b.py
cp x src/a.py
echo x > src/a.py
sed -i s/a/b/ src/a.py
ln -s a src/b
find . -name __pycache__ -exec rm -rf {} +
dd if=/dev/zero of=src/a.py
make > out.txt
""",
    GIT_WRITE: r"""
git add -A
git commit -m x
git push
git push --force
git pull
git fetch
git merge main
git rebase main
git reset --hard
git reset HEAD a
git checkout -b x
git switch main
git am x
git apply x.patch
git checkout -- src/a.py
git restore src/a.py
git stash
git stash pop
git rm src/a.py
git mv a b
git clean -n
git clean -fd build
git worktree add ../x
git update-index --assume-unchanged a
git branch x
git branch -D x
git tag v1
git tag -d v1
git remote add x y
git remote set-url x y
git cherry-pick x
git revert x
git gc
git init
git diff --output=x
git log --outp=x
git show --ext-diff
git grep -O x
git grep -nO x
git notes add
git submodule update
git reflog expire --all
git symbolic-ref HEAD refs/heads/x
git bisect start
git -C /tmp/x log
git --git-dir=/tmp/x log
git --work-tree /tmp log
git difftool
git x
git bisect run x
git log && git push
git log; git stash drop
git update-ref refs/heads/x y
git archive HEAD -o x
git add .memory/sprint/s/events/1.json
git commit -m 'close .memory/config.yaml' .memory/config.yaml
git submodule foreach rm x
git commit -m "$(cat <<'EOF'\n.memory: events and evidence\nEOF\n)"
git commit -m 'use $(vfcc approve)'
""",
    NONE: r"""
vfcc allow
vfcc allow --yes
vfcc -C status approve plan
vfcc memory purge --source x
vfcc trace clear a --to b
vfcc approve plan --yes
vfcc waive x
vfcc stage skip
vfcc memory promote x
vfcc workflow use light
vfcc trace review x
vfcc sprint resolve x --keep y
vfcc doctor --repair
vfcc migrate
python -m verifflowcc approve
python3.12 -m verifflowcc allow
uvx vfcc approve
uvx --from verifflowcc vfcc allow
pipx run vfcc allow
poetry run vfcc waive x
uv run vfcc approve
/usr/bin/vfcc approve
v"fc"c approve
sh -c 'vfcc approve'
bash -lc "vfcc approve"
nohup vfcc allow &
setsid vfcc allow
time vfcc allow
sudo vfcc allow
sudo -u me vfcc allow
timeout -k 5 10 vfcc allow
echo plan | xargs vfcc approve
env vfcc approve
V=vfcc; $V approve
echo $(vfcc approve)
echo `vfcc approve`
eval 'vfcc approve'
bash <<EOF\nvfcc approve\nEOF
echo vfcc approve | sh
(vfcc approve)
if true; then vfcc approve; fi
vfcc $(echo approve)
vfcc $X --yes
find . -exec vfcc approve {} \;
true && vfcc approve || true
env -u CLAUDECODE vfcc stage advance
env -i vfcc status
unset VFCC_AGENT; vfcc stage advance
VFCC_AGENT= vfcc stage advance
VFCC_AGENT=coder vfcc stage put x
export VFCC_AGENT=; vfcc status
CI=1 vfcc check
env - vfcc status
env -u CODEX_SANDBOX -u VFCC_AGENT vfcc next
CLAUDECODE= vfcc next
script -qec "vfcc stage advance" /dev/null
unbuffer vfcc stage advance
expect -c 'spawn vfcc approve'
script -c 'env -u CLAUDECODE vfcc next'
python -c 'import pty; pty.spawn(["vfcc", "approve"])'
git -c alias.x='!sh' x
git -c core.hooksPath=/tmp commit
git -c user.name=You commit -m x
git config core.hooksPath x
git config --global user.name x
git config alias.x '!sh'
git config --unset x.y
git config set x.y z
git config --edit
git --exec-path=/tmp log
git --config-env=alias.x=Y x
GIT_DIR=/tmp git log
GIT_AUTHOR_NAME=You git commit -m x
env GIT_EXTERNAL_DIFF=x git diff
git checkout main -- .memory/config.yaml
git rm .memory/sprint/s/events/1.json
git restore -s main .claude/settings.json
git rm -r .memory
git mv .memory x
git checkout main -- .memory/agent
git checkout main -- .
git clean -fdx
git clean -fd .memory
git stash -u
git stash push --all
cd .memory && git rm config.yaml
echo x > .memory/config.yaml
echo x >> .memory/sprint/s/events/1.json
tee .memory/workflow.yaml < a
cat a >| .memory/config.yaml
sed -i s/deny/off/ .memory/config.yaml
cp a .memory/agent/coder/tools.yaml
cp tools.yaml .memory/agent/coder/
mv .memory/config.yaml x
mv a .memory/config.yaml
rm -rf .memory
rm -r .memory/sprint
rm .memory/*.yaml
ln -s .memory x
ln -sf /tmp/x .memory/config.yaml
chmod 777 .memory/config.yaml
truncate -s 0 .git/config
dd of=.git/hooks/pre-commit
install -m 755 a .git/hooks/pre-commit
touch .memory/local/hook.json
cd .memory && echo x > config.yaml
cd .memory/agent; cp a coder/tools.yaml
pushd .memory; rm config.yaml
D=.memory; echo x > $D/config.yaml
for f in config workflow; do rm .memory/$f.yaml; done
rm .memory/$F
rm .m*/config.yaml
rm .memory/{config,workflow}.yaml
rm .memory/c?nfig.yaml
rm '.memory'/"config".yaml
python -c 'open(".memory/config.yaml", "w")'
python - <<EOF\nopen('.memory/config.yaml', 'w')\nEOF
python -c 'from pathlib import Path; (Path(".memory") / "config.yaml").unlink()'
node -e 'f(".git/config")'
perl -pi -e s/a/b/ .memory/config.yaml
bash -c 'echo x > .memory/config.yaml'
sudo rm .memory/config.yaml
find .memory -name '*.yaml' -delete
find .memory -name config.yaml -exec rm {} \;
find . -delete
rm -rf .
echo .memory/config.yaml | xargs rm
ls .memory/*.yaml | xargs sed -i s/a/b/
find . -name tools.yaml | xargs rm
curl -o .claude/settings.json x
tar xf a.tar -C .memory
rsync -a x/ .memory/
rm -rf /p
mv /p /q
echo x > ~/.gitconfig
cp a ~/.config/git/config
echo {} > ~/.local/share/vfcc/allowed.json
echo x > .codex/hooks.json
rm .cursor/hooks.json
tee .gemini/settings.json
cp vfcc.json .github/hooks/
echo x > sub/../.memory/config.yaml
echo x > /link/p/.memory/config.yaml
echo x > .MEMORY/Config.yaml
awk 'BEGIN {print > ".memory/config.yaml"}'
sort a -o .memory/config.yaml
env -C .memory rm config.yaml
rm {.memory/config.yaml,a}
find . -name '*.yaml' -delete
find . -name 'c*' -exec sed -i s/a/b/ {} +
find . -path '*/.memory/config.yaml' -delete
find . -name '*' -exec rm {} +
find .memory -type f | xargs sed -i s/a/b/
""",
}
"""The commands of each set of roles, one to a line; `\\n` is a line break."""
ROWS = [(line.replace("\\n", "\n"), who) for who, lines in TABLE.items() for line in lines.splitlines() if line.strip()]


def rules(role: str, **more: object) -> dict[str, Any]:
    if role == "no file":
        tools: Any = WITHOUT_A_FILE
    else:
        data = VERSION_1 if role == "version 1" else (AGENTS / role / "tools.yaml").read_bytes()
        tools, problems = parse_tools(data, "tools.yaml")
        assert not problems
    return {"role": role, "stage": "coding", "tools": tools, **more}


def why(tool: str, table: object, **said: Any) -> str:
    more: dict[str, Any] = {key: said.pop(key) for key in ("agent_id", "agent_type", "cwd") if key in said}
    words: dict[str, Any] = {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": said,
        "cwd": "/p",
        **more,
    }
    return denied(words, table, "/p")


def test_at_least_a_hundred_and_twenty_command_lines_are_tried() -> None:
    assert len(ROWS) > 120
    assert len({command for command, _ in ROWS}) == len(ROWS)


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
@pytest.mark.points(60)
@pytest.mark.parametrize(("command", "who"), ROWS, ids=[command for command, _ in ROWS])
def test_a_command_is_for_these_roles_alone(command: str, who: frozenset[str]) -> None:
    may = {role for role in ROLES if not why("Bash", rules(role), command=command)}

    assert may == who, why("Bash", rules("coder"), command=command)
    if who == NONE:
        assert why("Bash", None, command=command), "also where no rules hold"


@pytest.mark.parametrize(("command", "who"), ROWS[::7], ids=[command for command, _ in ROWS[::7]])
def test_a_denial_is_one_short_sentence(command: str, who: frozenset[str]) -> None:
    own = {"artifacts": ".memory/stage/login/planning/artifacts", "owed": ["plan.md"]}
    text = why("Bash", rules("planner", **own), command=command)

    assert len(text) <= 300
    assert "\n" not in text


WRITERS = (
    *(
        "echo x > {}",
        "rm -f {}",
        "tee {} < a",
        "sed -i s/a/b/ {}",
        "cp a {}",
        "mv a {}",
        "truncate -s 0 {}",
        "git rm {}",
    ),
    *("chmod 600 {}", "python x.py {}", "sh -c 'rm {}'", "sudo tee {}", "nohup rm {} &", "true; rm {}"),
)
CLOSED = st.sampled_from([".memory/config.yaml", EVENT, ".git/hooks/pre-push", ".claude/settings.json",
                          ".memory/agent/coder/tools.yaml", ".memory/project/baselines/a.json"])  # fmt: skip
FORMS = st.sampled_from(["{}", "./{}", "/p/{}", "src/../{}", ".//{}", "$PWD/{}", "{}"])


@st.composite
def quoted(draw: st.DrawFn) -> str:
    """A closed path as a shell would read it, with quotes and backslashes at some letters."""
    path = draw(FORMS).format(draw(CLOSED))
    marks = draw(st.lists(st.sampled_from(["", "", "", "''", '""', "\\"]), min_size=len(path), max_size=len(path)))
    pairs = zip(marks, path, strict=True)
    return "".join(letter if mark == "\\" and letter == "$" else mark + letter for mark, letter in pairs)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(WRITERS[:10]), quoted(), st.sampled_from([*ROLES, None]))
def test_no_quoting_lets_a_writer_at_a_closed_file(writer: str, path: str, role: str | None) -> None:
    assert why("Bash", rules(role) if role else None, command=writer.format(path))


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(WRITERS), FORMS, CLOSED, st.sampled_from([*ROLES, None]))
def test_no_wrapper_lets_a_writer_at_a_closed_file(writer: str, form: str, path: str, role: str | None) -> None:
    assert why("Bash", rules(role) if role else None, command=writer.format(form.format(path)))


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
@pytest.mark.parametrize("role", [*ROLES, None])
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__fs__write_file", {"path": "/p/.memory/config.yaml", "content": "x"}),
        ("mcp__fs__write_file", {"path": "file:///p/.git/hooks/pre-commit"}),
        ("mcp__fs__edit", {"edits": [{"target": {"name": EVENT}}]}),
        ("mcp__fs__edit", {"path": "~/p/.claude/settings.json"}),
        ("mcp__fs__move_file", {"source": ".memory/agent", "destination": "x"}),
        ("mcp__x__do", {"anything": [[["../p/.memory/workflow.yaml"]]]}),
        ("mcp__shell__run", {"command": "echo x > .memory/config.yaml"}),
        ("mcp__shell__run", {"command": ["rm", ".memory/config.yaml"]}),
        ("mcp__shell__run", {"cmd": "vfcc approve --yes"}),
        ("NewEditor", {"filePath": ".memory/agent/coder/tools.yaml"}),
        ("PowerShell", {"command": "git config core.hooksPath x"}),
    ],
)
def test_no_tool_of_a_server_changes_a_closed_file(role: str | None, tool: str, given: dict[str, Any]) -> None:
    assert why(tool, rules(role) if role else None, **given)


def test_tools_of_servers_are_for_roles_that_list_them() -> None:
    assert "lists no tool 'mcp'" in why("mcp__web__search", rules("no file"), query="x")
    assert why("mcp__web__search", rules("planner"), query="x") == ""
    assert why("mcp__fs__read_file", rules("planner"), path=".memory/config.yaml") == "", "reading is open"
    assert "may not edit src/a.py" in why("mcp__fs__write_file", rules("planner"), path="src/a.py")
    assert "may not edit src/a.py" in why("mcp__fs__write_file", rules("tester"), path="/p/src/a.py")
    assert why("mcp__fs__write_file", rules("tester"), path="tests/test_a.py") == ""
    assert "lists no tool 'run'" in why("mcp__shell__run", rules("planner"), command="make install")
    narrow = {"role": "r", "stage": "s", "tools": {"mcp": {"servers": ["git*"], "tools": ["mcp__*__read_*"]}}}
    assert why("mcp__github__read_issue", narrow, number=1) == ""
    assert "allows the servers git*" in why("mcp__fs__read_file", narrow, path="a")
    assert "allows the tools mcp__*__read_*" in why("mcp__github__list_issues", narrow)


def test_commands_of_version_2_are_all_that_may_be_run() -> None:
    table = {"role": "r", "stage": "s", "tools": {"run": {"commands": ["make test", "ruff"]}, "read": {}}}

    for command in ("make test", "make test VERBOSE=1 | tail", "ruff check .", "timeout 60 make test", "cat a"):
        assert why("Bash", table, command=command) == "", command
    for command in ("make install", "make test && make install", "make testing", "$(make) x", "python x"):
        assert "allows make test, ruff" in why("Bash", table, command=command), command


STAGE = {"artifacts": ARTIFACTS, "owed": ["changes.md"], "tests": list(TEST_FILES)}


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
def test_a_subagent_needs_the_permission_of_its_own_role_and_of_the_stage() -> None:
    others = {"reviewer": rules("reviewer")["tools"], "coder": rules("coder")["tools"]}
    coding = rules("coder", others=others, edits="all", **STAGE)
    planning = rules("planner", others=others, edits="none", **STAGE)
    reviewer = {"agent_id": "a1", "agent_type": "reviewer"}
    coder = {"agent_id": "a2", "agent_type": "coder"}

    assert why("Edit", coding, file_path="src/a.py") == ""
    assert "the subagent reviewer (stage coding) may not edit src/a.py" in why(
        "Edit", coding, file_path="src/a.py", **reviewer
    )
    assert "the subagent reviewer" in why("Bash", coding, command="git commit -m x", **reviewer)
    assert "the subagent reviewer" in why("Write", coding, file_path=f"{ARTIFACTS}/changes.md", **reviewer)
    assert why("Bash", coding, command="make test", **reviewer) == ""
    assert why("Edit", coding, file_path="src/a.py", **coder) == ""
    assert why("Edit", coding, file_path="src/a.py", agent_id="a3", agent_type="general-purpose") == ""
    assert "the role planner" in why("Edit", planning, file_path="src/a.py", **coder)


def test_a_subagent_edits_no_more_of_the_product_than_the_stage() -> None:
    testing = rules("coder", edits="tests", **STAGE)
    nothing = rules("coder", edits="none", **STAGE)
    subagent = {"agent_id": "a1", "agent_type": "general-purpose"}

    assert why("Edit", testing, file_path="src/a.py") == "", "the stage's own role is bound by its table"
    assert "may not be edited in stage coding: its workflow opens tests alone" in why(
        "Edit", testing, file_path="src/a.py", **subagent
    )
    assert why("Edit", testing, file_path="tests/test_a.py", **subagent) == ""
    assert "no file outside .memory/" in why("Edit", nothing, file_path="tests/test_a.py", **subagent)
    assert why("Edit", nothing, file_path=f"{ARTIFACTS}/changes.md", **subagent) == ""
    other = {key: value for key, value in testing.items() if key != "artifacts"}
    assert "its workflow opens tests alone" in why("Bash", other, command="rm src/a.py"), (
        "another role than the stage's"
    )


def test_a_configured_list_of_known_findings_is_closed() -> None:
    assert why("Write", {"closed": ["build/known.json"]}, file_path="build/known.json")
    assert why("Bash", {"closed": ["build/known.json"]}, command="echo > build/known.json")
    assert why("Bash", {"closed": ["build/known.json"]}, command="rm -rf build") == ""
    assert why("Write", None, file_path="build/known.json") == ""
