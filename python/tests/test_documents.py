"""What is written about the package: examples, stubs, README and the notebook."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import afterstate
from afterstate import _native

FOLDER = Path(__file__).parent.parent
MODULES = [
    f"afterstate.{module.name}"
    for module in pkgutil.iter_modules(afterstate.__path__)
    if module.name not in ("__main__", "_native") and not module.ispkg
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_examples_of_the_compiled_part(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = 0
    for name in _native.__all__:
        for test in doctest.DocTestFinder().find(getattr(_native, name), name, module=False):
            runner = doctest.DocTestRunner()
            runner.run(test)
            assert runner.summarize().failed == 0, test.name
            examples += len(test.examples)
    assert examples > 20


def test_everything_public_is_documented():
    for name in afterstate.__all__:
        thing = getattr(afterstate, name)
        assert thing.__doc__, name
        for member, what in vars(thing).items() if isinstance(thing, type) else ():
            if not member.startswith("_") and hasattr(what, "__get__"):
                assert what.__doc__, f"{name}.{member}"


def test_stubs_describe_the_compiled_part(tmp_path):
    pytest.importorskip("mypy")
    settings = ["--mypy-config-file", str(FOLDER / "pyproject.toml")]
    command = [sys.executable, "-m", "mypy.stubtest", *settings, "afterstate._native"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_package_is_typed_throughout(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(FOLDER / "pyproject.toml")]
    done = subprocess.run(
        [*command, str(FOLDER / "afterstate")], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall("```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.S)
    assert len(blocks) > 5
    names = {}
    for block in blocks:
        exec(block, names)


def test_the_tour_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(FOLDER / "tour.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute(env=environment)
    assert any("<progress" in str(cell.outputs) for cell in cells)
