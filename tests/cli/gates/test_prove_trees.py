"""`vfcc prove`: what the scratch tree holds of submodules, Git LFS, generated files and installed copies."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import CI, git, vfcc
from tests.proven_repository import PRICE, TESTS, commit, proofs, prove, repository, write

FIX = PRICE.replace("str(cents / 100)", 'f"{cents / 100:.2f}"')
FIX_TEST = TESTS.replace('"2.5"', '"2.50"')


# A project in a subfolder


def test_sarif_names_paths_from_the_top_of_the_repository(tmp_path: Path) -> None:
    root = repository(tmp_path, {"app/price.py": PRICE, "app/tests/test_price.py": TESTS})
    write(root, {"app/price.py": FIX, "app/tests/test_price.py": TESTS.replace(' == "2.5"', "")})

    shown = prove(root / "app", "--sarif", env={"HOME": str(tmp_path)})

    [result] = json.loads(shown.out)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "app/tests/test_price.py"


# Submodules


def with_submodule(folder: Path) -> Path:
    """A repository whose product is in a submodule: the price is wrong there, and the second commit there mends it."""
    library = folder / "library"
    library.mkdir()
    git(library, "init", "-q", "-b", "main")
    commit(library, {"price.py": PRICE}, "start")
    root = repository(folder, {"price.py": None, "tests/conftest.py": "import sys\n\nsys.path.insert(0, 'lib')\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(root, "commit", "-q", "-m", "a library")
    fixed = commit(library, {"price.py": FIX}, "mend")
    git(root / "lib", "-c", "protocol.file.allow=always", "fetch", "-q", "origin")
    git(root / "lib", "checkout", "-q", fixed)
    commit(root, {"tests/test_price.py": FIX_TEST}, "use it")
    return root


def test_a_submodule_is_populated_at_the_commit_of_each_side(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)

    [proof] = proofs(root)

    assert (proof["verdict"], proof["notes"]) == ("proven", []), proof


def test_a_submodule_that_is_not_checked_out_is_named(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)
    git(root, "submodule", "deinit", "-q", "-f", "lib")
    write(root, {"shop.py": "A = 2\n"})
    commit(root, {"tests/test_shop.py": "import shop\n\n\ndef test_shop():\n    assert shop.A == 2\n"}, "shop")

    shown = prove(root)

    assert "note: not checked out at the commit of the change, so left empty: submodule lib" in shown.out


# Git LFS


@pytest.mark.parametrize("known", [True, False], ids=["content here", "pointer alone"])
def test_a_file_of_git_lfs_has_its_content_or_is_named(tmp_path: Path, known: bool) -> None:
    content = b"2.50"
    digest = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    root = repository(tmp_path, {"tests/wanted.bin": pointer})
    if known:
        place = root / ".git/lfs/objects" / digest[:2] / digest[2:4] / digest
        place.parent.mkdir(parents=True)
        place.write_bytes(content)
    wanted = TESTS.replace('"2.5"', "open('tests/wanted.bin').read()")
    write(root, {"price.py": FIX, "tests/test_price.py": wanted})

    [proof] = proofs(root)

    assert (proof["verdict"], proof["notes"]) == (
        ("proven", [])
        if known
        else ("broken", ["content not on this machine, so left a pointer of Git LFS: tests/wanted.bin"])
    )


# Generated files


def test_a_copied_file_that_git_ignores_is_named(tmp_path: Path) -> None:
    root = repository(tmp_path, {"shop/__init__.py": "", ".gitignore": "_version.py\n"})
    write(root, {"shop/_version.py": "V = 1\n", "price.py": FIX, "tests/test_price.py": FIX_TEST})

    assert "note: ignored by git, so copied as it is now: shop/_version.py" in prove(root).out
    assert "\nNote: ignored by git, so copied as it is now: shop/_version.py" in prove(root, "--markdown").out


# Time


def test_the_first_run_is_never_cut_and_a_second_that_has_no_time_is_named(tmp_path: Path) -> None:
    root = repository(tmp_path)
    slow = "import time\n\nfrom price import price\n\n\ndef test_price():\n    time.sleep(1.2)\n"
    write(root, {"price.py": FIX, "tests/test_price.py": f'{slow}    assert price(250) == "2.50"\n'})

    first = prove(root, "--time", "1")
    again = prove(root)

    assert first.code == 3
    assert "with the change, and no time or run was left without it (--time, --runs)" in first.out
    assert again.code == 0


# Installed copies


PATH_FILE = "{source}\n"
FINDER = """\
import sys
from importlib.util import spec_from_file_location


class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "shop":
            return spec_from_file_location(name, {source!r} + "/shop/__init__.py")
        return None


sys.meta_path.{how}
"""


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        ({"shop.pth": PATH_FILE}, "proven"),
        ({"shop.pth": "import _shop_finder\n", "_shop_finder.py": FINDER.replace("{how}", "append(Finder)")}, "proven"),
        (
            {"shop.pth": "import _shop_finder\n", "_shop_finder.py": FINDER.replace("{how}", "insert(0, Finder)")},
            "inconclusive",
        ),
    ],
    ids=["a path", "a finder behind the path", "a finder before the path"],
)
@pytest.mark.parametrize("layout", ["src", ""], ids=["src layout", "flat layout"])
def test_an_editable_install_gives_way_to_the_scratch_tree_or_is_named(
    tmp_path: Path, files: dict[str, str], verdict: str, layout: str
) -> None:
    top = f"{layout}/" if layout else ""
    test = "import unittest\n\nfrom shop import price\n\n\nclass TestPrice(unittest.TestCase):\n"
    test += "    def test_price(self):\n        self.assertEqual(price(250), '2.5')\n"
    root = repository(
        tmp_path,
        {"price.py": None, f"{top}shop/__init__.py": PRICE, "tests/test_price.py": test, ".gitignore": ".venv\n"},
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    [site] = (root / ".venv/lib").glob("python*/site-packages")
    source = str(root / layout)
    write(
        site,
        {name: text.replace("{source!r}", repr(source)).replace("{source}", source) for name, text in files.items()},
    )
    write(root, {f"{top}shop/__init__.py": FIX, "tests/test_price.py": test.replace("'2.5'", "'2.50'")})

    ran = vfcc(root, "prove", "--yes", "--json", "--full", env=CI)
    [proof] = ran.data["changes"]

    assert proof["verdict"] == verdict, proof
    if verdict == "inconclusive":
        assert proof["why"] == f"the tests import the installed copy: shop is {source}/shop/__init__.py"
