"""Command lines that are refused to every agent though a verb or the shell hides what they do, and everyday ones."""

import pytest

from tests.pure.clients.test_tool_classes import rules, why

REFUSED = r"""
git archive -o .memory/config.yaml HEAD
git archive --output=.memory/config.yaml HEAD
git archive -o.memory/config.yaml HEAD
git format-patch -o .memory HEAD~1
git format-patch -o .memory/sprint/s/events HEAD~1
git format-patch --output-directory .memory/local HEAD~1
git bundle create .memory/config.yaml HEAD
git worktree add .memory/x
git worktree add .git/x
git clone . .git/x
git clone . .memory/agent/x
git show --output=.memory/config.yaml
git log --output .memory/config.yaml
git diff --output=.git/config
git diff --outp=.git/config
git init .memory
git submodule foreach 'rm -rf .memory'
git submodule foreach 'rm -rf .memory/sprint'
git submodule foreach --recursive 'rm -rf ../.memory/sprint'
git submodule add ./x .memory/agent/x
git rebase -x 'echo x > .memory/config.yaml' HEAD~1
git rebase --exec 'vfcc approve --yes' HEAD~1
git rebase --exec='vfcc approve --yes' HEAD~1
git bisect run sh -c 'echo x > .memory/config.yaml'
git bisect run vfcc approve --yes
git filter-branch --tree-filter 'rm .memory/config.yaml' HEAD
git filter-branch --index-filter 'git rm --cached .memory/config.yaml' HEAD
git difftool -x 'vfcc approve --yes;' HEAD
git difftool --extcmd='rm .memory/config.yaml' -y
git push --receive-pack='sh -c "vfcc approve"' .
git fetch --upload-pack 'rm .memory/config.yaml;' .
git grep -O'rm .memory/config.yaml' x
git read-tree --index-output=.memory/config.yaml HEAD
git checkout-index --prefix=.memory/agent/ -a
git --work-tree=.memory checkout HEAD -- agent
git -C .memory checkout HEAD -- config.yaml
git -C .memory rm config.yaml
git diff > .memory/config.yaml
git fast-export --export-marks=.memory/config.yaml HEAD
git apply --directory=.memory x.patch
git am --directory=.memory x.patch
git mailsplit -o.memory/local x
git bugreport -o .memory/local
git diagnose -o .memory/local
git fast-import --export-marks=.memory/config.yaml
git cat-file -p HEAD:x | tee .memory/config.yaml
git for-each-repo --config=x -- rm .memory/config.yaml
bash -c "$(printf 'echo x > .memory/config.yaml')"
sh -c "$(printf 'echo >> .memory/config.yaml')"
eval "$(printf 'echo x > .memory/config.yaml')"
read f <<< .memory/config.yaml; echo x > $f
f=.memory/config.yaml; echo x > "$f"
f=.memory/config.yaml && echo x > ${f}
cat <<'END' | while read f; do echo >> $f; done\n.memory/config.yaml\nEND
echo .memory/config.yaml | while read f; do echo x > $f; done
printf '%s' .memory/config.yaml > /tmp/p; echo x > $(cat /tmp/p)
echo x > "$(echo .memory/config.yaml)"
set -- .memory/config.yaml; echo x > $1
a=(.memory/config.yaml); echo x > ${a[0]}
python x.py .memory/config.yaml
g() { echo x > $1; }; g .memory/config.yaml
. ./x .memory/config.yaml
source x .memory/config.yaml
bash x.sh .memory/config.yaml
make CONFIG=.memory/config.yaml
CONFIG=.memory/config.yaml make
echo 'echo x > .memory/config.yaml' | sh
ls .memory/config.yaml | xargs -I{} sh -c 'echo x > {}'
export GIT_AUTHOR_NAME=You; git commit -m x
GIT_AUTHOR_EMAIL=a@b git commit -m x
declare -x GIT_COMMITTER_NAME=You; git commit -m x
export GIT_DIR=/x && git log
GIT_COMMITTER_NAME=You; export GIT_COMMITTER_NAME; git commit
env GIT_COMMITTER_NAME=You git commit -m x
git commit --author "You <y@o>" -m x
git commit --author="You <y@o>" -m x
git commit --amend --author 'You <y@o>' --no-edit
git commit --auth='You <y@o>' -m x
git -c user.email=You commit -m x
git -c author.name=You commit -m x
git commit -C HEAD~3
git config user.name coder
echo approve --yes | xargs vfcc
xargs vfcc < words.txt
cat words | xargs -n3 vfcc
parallel vfcc ::: approve
xargs -I{} vfcc {} --yes < words
xargs -I{} sh -c 'vfcc {}' < words
xargs -a words vfcc
vfcc --json approve
vfcc --json approve --yes
vfcc --color approve
vfcc --frobnicate approve
vfcc -q approve --yes
vfcc -v approve
vfcc --verbose approve
vfcc --project x approve
vfcc -C . approve
vfcc -- approve
vfcc frobnicate
tee ${X:-.memory/config.yaml} < a
git rebase -ix 'vfcc approve' HEAD~1
git commit -aC HEAD~2
git init --template=/tmp/t
git init --templ /tmp/t
printf 'x\n.memory/config.yaml\n' | while read f; do rm $f; done
"""
"""Commands that write to closed files, run others, commit in another name, or hide a command of vfcc."""
EVERYDAY = r"""
git add src/a.py tests/test_a.py
git add -A && git commit -m 'coding: count totals'
git commit -am 'fix'
git commit --amend --no-edit
git commit --amend -C HEAD
git commit -m "$(cat <<'EOF'\ncoding: read .memory/config.yaml once\n\nIt was read twice.\nEOF\n)"
git commit -F /tmp/message.txt
git commit --fixup HEAD~1
git diff --stat HEAD~3 -- src .memory
git diff --cached .memory/config.yaml
git diff > /tmp/x.patch
git log --oneline -20 -- .memory/workflow.yaml
git log --author=You --since=yesterday
git log --format='%h %an' -3
git show HEAD:.memory/config.yaml
git show HEAD~1 --stat
git stash && git pull --rebase && git stash pop
git checkout -b feature/form
git switch -c fix
git fetch origin main
git rebase -i HEAD~2
git rebase --exec 'make test' main
git bisect run make test
git rebase --onto main HEAD~2
git merge --no-ff feature
git cherry-pick -x abc123
git reset .memory/config.yaml
git tag -a v1 -m 'one'
git ls-files -o --exclude-standard .memory
git grep -o total src
git archive -o /tmp/x.tar HEAD .memory
git format-patch -o /tmp/patches HEAD~2
git worktree add ../other main
git clone . /tmp/copy
git clean -fd build
git submodule foreach 'git status'
git blame -L 1,20 src/a.py
git -C sub status
git check-ignore -v .memory/local/hook.json
GIT_PAGER=cat git log -3
export GIT_PAGER=cat; git diff
git push -u origin HEAD
make
make test TESTS=tests/test_a.py
make -j4 && make check
pytest -q tests -k 'not slow'
python -m pytest -x --junitxml=.memory/local/reports/test.junit.xml
python -m pytest "$T"
npm ci && npm test -- --watch=false
npm run build
npx tsc --noEmit
cargo test
go test ./...
pip install -e .
uv run pytest -q
ruff check --fix . && ruff format .
mypy src
sed -i 's/total/sum/' src/a.py
sed -n 1,20p .memory/workflow.yaml
for f in src/*.py; do sed -i 's/a/b/' "$f"; done
for f in $(git ls-files '*.py'); do python -m pyflakes "$f"; done
while read f; do rm "$f"; done < /tmp/list.txt
find src -name '*.pyc' -delete
find . -name __pycache__ -not -path './.git/*' -exec rm -rf {} +
grep -rl total src | xargs sed -i s/total/sum/
python scripts/make_data.py --out data/x.json
python - <<'EOF'\nfrom pathlib import Path\nPath('src/b.py').write_text('x = 1')\nEOF
python -c 'import json; print(json.load(open("package.json"))["name"])'
cat > src/b.py <<'EOF'\nprint("hello")\nEOF
cat > docs/rules.md <<'EOF'\nThe rules are in .memory/config.yaml and $HOME.\nEOF
cat <<'EOF' > tests/test_b.py\ndef test_b():\n    assert ".memory/config.yaml"\nEOF
tee src/c.py <<< 'x = 1'
echo "x" >> README.md
mkdir -p src/pkg && touch src/pkg/__init__.py
rm -rf build dist
mv src/a.py src/b.py
cp -r src /tmp/src
cp .memory/config.yaml /tmp/config.yaml
T=$(mktemp -d); cp .memory/config.yaml $T && ls $T
grep -rn review .memory
grep -n tools .memory/agent/*/tools.yaml
rg hooks .memory | head -5
cat .memory/config.yaml
cat .memory/config.yaml .memory/workflow.yaml | head -50
head -3 .memory/agent/coder/tools.yaml; make test
ls -la .memory .git
jq .x < .memory/sprint/s/events/1.json
jq -r '.type' .memory/sprint/s/events/*.json | sort | uniq -c
diff .memory/config.yaml /tmp/config.yaml
x=$(cat .memory/config.yaml); echo "$x" | wc -l
cat .memory/config.yaml | python -c 'import sys, yaml; print(yaml.safe_load(sys.stdin))'
wc -l .memory/sprint/*/events/*
docker compose up -d
curl -s localhost:8000/health
kill $PID; wait $PID
echo $?; echo "$HOME"
test -f .memory/config.yaml && echo yes
[ -d .git ] && make
if [ -f .memory/config.yaml ]; then make test; fi
if grep -q hooks .memory/config.yaml; then make "$TARGET"; fi
env | sort | head
set -e; make test
cd src && python -m http.server 8000 &
timeout 60 pytest -q | tail -5
vfcc status
vfcc next
vfcc memory --help
vfcc trace
vfcc check gate coding
vfcc evidence run
vfcc stage put changes --file /tmp/changes.md
vfcc stage put changes <<'EOF'\nIt changes .memory/config.yaml? No.\nEOF
cat changes.md | vfcc stage put changes
vfcc task note "$(tail -1 /tmp/log)"
vfcc memory add lesson 'use the cache'
vfcc memory search "$Q" --json
vfcc feedback add 'the form lacks a label' --stage planning
vfcc context show --agent coder --explain
vfcc stage advance
vfcc approve --request
vfcc evidence run && git add -A && git commit -m 'coding: evidence'
git add .memory/sprint/s .memory/stage/s && git commit -m 'close'
"""
"""What a coder runs all day, also beside and about the files that are closed."""


def lines(table: str) -> list[str]:
    """Return the commands of a table; `\\n` is a line break."""
    return [line.replace("\\n", "\n") for line in table.splitlines() if line.strip()]


@pytest.mark.vfcc("REQ-HOOK-TOOLS")
@pytest.mark.points(30)
@pytest.mark.parametrize("command", lines(REFUSED))
def test_no_agent_may_run_it(command: str) -> None:
    assert why("Bash", rules("coder"), command=command)
    assert why("Bash", None, command=command), "also where no rules hold"


@pytest.mark.points(30)
@pytest.mark.parametrize("command", lines(EVERYDAY))
def test_a_coder_runs_everyday_commands(command: str) -> None:
    assert why("Bash", rules("coder"), command=command) == ""


def test_more_than_sixty_everyday_commands_are_tried() -> None:
    assert len(lines(EVERYDAY)) > 60


def test_who_commits_is_refused_in_one_sentence() -> None:
    for command in ("git commit --author 'You <y@o>'", "export GIT_AUTHOR_NAME=You; git commit -m x",
                    "git -c user.name=You commit -m x"):  # fmt: skip
        assert why("Bash", None, command=command).startswith(
            "git's settings say who commits, and no agent changes that"
        )


@pytest.mark.parametrize(
    "command", ["vfcc approve --yes", "echo x > .memory/config.yaml", "git config core.hooksPath x"]
)
def test_a_long_beginning_hides_no_command(command: str) -> None:
    long = f"echo {'x' * 30_000}"

    assert "too long to be judged" in why("Bash", None, command=f"{long}; {command}")
    assert why("Bash", rules("coder"), command=f"{long} > src/a.txt") == ""
