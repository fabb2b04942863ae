"""The program `afterstate`, the same as the one that cargo builds."""

import os
import signal
import subprocess
import sys
from typing import List, NoReturn, Optional

from . import _native

#: Names the pipe on which a supervised program tells that it has come to its end.
_PIPE = "AFTERSTATE_SUPERVISED"


def main(words: List[str]) -> int:
    """Runs the program with the words of a command line after its name: the exit code."""
    return _native.main(words, _connect)


def _connect(address: str) -> None:
    """Connects to a cluster; Ray is imported only then."""
    from . import cluster

    cluster.connect(address)


def _address(words: List[str]) -> Optional[str]:
    """The address of the cluster that the words name."""
    for word, following in zip(words, [*words[1:], ""]):
        if word == "--cluster":
            return following
        if word.startswith("--cluster="):
            return word[len("--cluster=") :]
    return None


def _supervised(words: List[str], address: str) -> int:
    """Runs the program in another process: Ray ends it without a word when it loses its head."""
    told, pipe = os.pipe()
    environment = {**os.environ, _PIPE: str(pipe)}
    command = [sys.executable, "-m", "afterstate", *words]
    child = subprocess.Popen(command, env=environment, pass_fds=[pipe])
    os.close(pipe)
    # Ctrl-C reaches both from a terminal, and the program saves its work.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: child.send_signal(number))
    code = child.wait()
    ended = os.read(told, 1)
    if not ended and code == 1:
        print(
            f"error: the cluster at {address!r} is gone: Ray has lost its head; a training goes on from its "
            "last checkpoint by afterstate train --resume RUN, with a cluster or without",
            file=sys.stderr,
        )
    return code if code >= 0 else 128 - code


def run() -> NoReturn:
    """The program on the path."""
    words, pipe = sys.argv[1:], os.environ.pop(_PIPE, None)
    address = _address(words)
    if address is not None and pipe is None and os.name == "posix":
        sys.exit(_supervised(words, address))
    # Python would only note Ctrl-C until the program is over: it is to end it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    code = main(words)
    if pipe is not None:
        os.write(int(pipe), b".")
    sys.exit(code)


if __name__ == "__main__":
    run()
