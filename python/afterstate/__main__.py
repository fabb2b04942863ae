"""The program `afterstate`, the same as the one that cargo builds."""

import signal
import sys
from typing import List, NoReturn

from . import _native


def main(words: List[str]) -> int:
    """Runs the program with the words of a command line after its name: the exit code."""
    return _native.main(words, _connect)


def _connect(address: str) -> None:
    """Connects to a cluster; Ray is imported only then."""
    from . import cluster

    cluster.connect(address)


def run() -> NoReturn:
    """The program on the path."""
    # Python would only note Ctrl-C until the program is over: it is to end it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
