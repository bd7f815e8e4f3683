"""A person's own settings: where they are read from, and one sentence for each thing that is wrong in them."""

import subprocess
import sys
from pathlib import Path

import pytest

from verifflowcc.base.config.config_description import holds_password
from verifflowcc.base.config.config_load import user_settings
from verifflowcc.base.errors import BackendError, ConfigError
from verifflowcc.base.model.config_values import BackendKind, ModelSettings, UserSettings

URL = "postgresql://ann@db.example.org/memory"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vfcc" / "config.yaml"
    path.parent.mkdir()
    return path


def read(file: Path, **more: str) -> UserSettings:
    return user_settings({"XDG_CONFIG_HOME": str(file.parent.parent), **more})


def problems(file: Path, text: str) -> list[str]:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read(file)
    assert all(problem.startswith(f"{file}:") for problem in caught.value.problems)
    return [problem.removeprefix(f"{file}:") for problem in caught.value.problems]


def test_without_a_file_the_defaults_hold(file: Path) -> None:
    assert read(file) == UserSettings(BackendKind.FILES, None)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "format: 1\n", "memory: {}\n"])
def test_what_is_left_out_has_its_default(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    assert read(file) == UserSettings()


def test_the_file_says_how_items_are_kept_and_where_a_server_is(file: Path) -> None:
    file.write_text(f"format: 1\nmemory:\n  backend: postgres\n  postgres_url: {URL}\n", encoding="utf-8")
    assert read(file) == UserSettings(BackendKind.POSTGRES, URL)


def test_the_environment_goes_before_the_file(file: Path) -> None:
    file.write_text(f"memory: {{backend: sqlite, postgres_url: '{URL}'}}\n", encoding="utf-8")
    assert read(file, VFCC_POSTGRES_URL="host=other") == UserSettings(BackendKind.SQLITE, "host=other")
    assert read(file, VFCC_POSTGRES_URL=" ").postgres_url == URL


def test_the_file_names_a_model_and_its_caps(file: Path) -> None:
    file.write_text("llm: {command: [ask, -p], timeout_s: 5, max_calls_per_day: 0}\n", encoding="utf-8")
    assert read(file).llm == ModelSettings(command=("ask", "-p"), timeout_s=5, max_calls_per_day=0)
    assert read(file, VFCC_POSTGRES_URL=URL).llm.command == ("ask", "-p")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{command: [a], api: 'o:m'}", "llm has a command and an api; keep one of them"),
        ("{command: ask -p}", "llm.command must be a list of 1 to 100 words, such as [claude, -p]"),
        ("{api: gpt}", "llm.api names no provider and model; give it a text such as openai:gpt-5-mini"),
        ("{timeout_s: 0}", "llm.timeout_s must be a whole number of seconds from 1 to 3,600"),
        ("{key: x}", "unknown key key in llm; allowed: command, api, timeout_s, max_calls_per_day, max_tokens"),
    ],
)
def test_what_is_wrong_with_a_model_is_one_sentence(file: Path, text: str, expected: str) -> None:
    (told,) = problems(file, f"format: 1\nllm: {text}\n")
    assert told.startswith(f"2: {expected}")


def test_a_file_that_links_elsewhere_is_the_persons_own_business(file: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.yaml").write_text("memory: {backend: sqlite}\n", encoding="utf-8")
    file.symlink_to(tmp_path / "dotfiles.yaml")
    assert read(file).backend is BackendKind.SQLITE


def test_unknown_keys_are_told_with_the_nearest_one(file: Path) -> None:
    assert problems(file, "formt: 1\nmemory:\n  backnd: files\n") == [
        "1: unknown key formt; allowed: format, memory, llm; did you mean format?",
        "3: unknown key backnd in memory; allowed: backend, postgres_url; did you mean backend?",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "memory:\n  backend: sqlit\n",
            "2: memory.backend must be one of files, sqlite, postgres; did you mean sqlite?",
        ),
        ("memory: {backend: memory}\n", "1: memory.backend must be one of files, sqlite, postgres"),
        (
            "memory:\n",
            "1: memory has no value; give it a mapping with keys out of backend, postgres_url, or remove the line",
        ),
        ("memory: [1]\n", "1: memory must be a mapping with keys out of backend, postgres_url"),
        ("- 1\n", "1: the file must be a mapping with keys out of format, memory, llm"),
        ("format: 2\nnew: 1\n", "1: format 2 is newer than this vfcc understands (1)"),
        (
            "memory:\n  postgres_url: no\n",
            (
                "2: memory.postgres_url must be a text such as postgresql://db.example.org/memory, and YAML reads no "
                "as false; put it in quotes if you mean the text"
            ),
        ),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(file: Path, text: str, expected: str) -> None:
    assert problems(file, text) == [expected]


def test_a_password_is_refused_with_where_it_belongs_and_not_repeated(file: Path) -> None:
    (told,) = problems(file, "memory:\n\n  postgres_url: postgresql://ann:geheim@db/memory\n")
    assert (
        told == "3: memory.postgres_url holds a password; it belongs in ~/.pgpass, or in the file that PGPASSFILE names"
    )


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("postgresql://ann:x@db/memory", True),
        ("postgres://:x@/memory", True),
        ("postgresql://ann:a?b@db", True),
        ("postgresql://db/memory?sslmode=require&password=x", True),
        ("postgresql://db/memory?pass%77ord=x", True),
        ("host=db password=x", True),
        ("host=db  password = 'x y'", True),
        ("host='a://b' password=x", True),
        ("host=db sslpassword=x", True),
        ("postgresql://ann@db:5432/memory", False),
        ("postgresql://a,b:5432/memory", False),
        ("host=db user=ann passfile=/home/ann/.pgpass", False),
        ("host=db options='-c a=password'", False),
    ],
)
def test_a_password_is_found_in_every_form_of_a_connection_string(url: str, holds: bool) -> None:
    assert holds_password(url) is holds


def test_where_there_is_no_file_neither_yaml_nor_pydantic_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from verifflowcc.base.config.config_load import user_settings; "
        f"user_settings({{'XDG_CONFIG_HOME': {str(tmp_path)!r}}}); "
        "print([name for name in ('yaml', 'pydantic', 'psycopg') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_psycopg_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from verifflowcc.memory.store.postgres import PostgresBackend

    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BackendError, match="needs the extra postgres") as caught:
        PostgresBackend("postgresql://127.0.0.1:1/x", "user", None)
    assert caught.value.hint == "pip install 'verifflowcc[postgres]'"
