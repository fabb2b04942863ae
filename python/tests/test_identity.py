"""The number of the sources, by which nodes of a cluster with other ones are refused."""

import os
from pathlib import Path

from afterstate import _native

ROOT = Path(__file__).parents[2]
SOURCES = ["Cargo.lock", "crates", "python/src", "python/afterstate"]


def sources():
    """The files that the package is made of, by name."""
    files = {}
    for source in SOURCES:
        top = ROOT / source
        # Links to folders are followed, such as that to the results, which the page has.
        below = (Path(folder, name) for folder, _, names in os.walk(top, followlinks=True) for name in names)
        for path in [top] if top.is_file() else below:
            parts = path.relative_to(ROOT).parts
            other = {"tests", "target", "__pycache__"} & set(parts) or path.suffix in (".so", ".pyd")
            if path.is_file() and not other:
                files["/".join(parts)] = path.read_bytes()
    return files


def number(files):
    """FNV-1a of names and contents, in the order of the parts of the names."""
    value = 0xCBF29CE484222325
    for name in sorted(files, key=lambda name: name.split("/")):
        for byte in name.encode() + b"\0" + files[name] + b"\0":
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def test_the_identity_has_the_number_of_the_sources():
    files = {name: text for name, text in sources().items() if len(text) < 100_000}
    small = number(files)
    for name in ("python/afterstate/cluster.py", "crates/learn/src/td_learner.rs", "Cargo.lock"):
        assert number({**files, name: files.get(name, b"") + b" "}) != small, name
    assert number(sources()) in _native.identity()
