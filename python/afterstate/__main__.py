"""The program `afterstate`, the same as the one that cargo builds."""

import io
import os
import re
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


class _Notes(io.TextIOBase):
    """What Ray has to say, such as that a worker was lost, as a line of its own on the standard error.

    Ray prints it, which would break the line of the progress, and JSON on the standard output.
    """

    def write(self, text: str) -> int:
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text).strip()
        if plain:
            # The reasons that Ray can think of follow, which are the same every time.
            sentence = re.split(r"\. |\n|: \(", plain)[0]
            clear = "\r\x1b[K" if sys.stderr.isatty() else ""
            sys.stderr.write(f"{clear}{sentence}\n")
            sys.stderr.flush()
        return len(text)


def _connect(address: str) -> None:
    """Connects to a cluster; Ray is imported only then."""
    from . import cluster

    # The program itself does not write through it.
    sys.stdout = _Notes()
    try:
        cluster.connect(address)
    except SystemExit:
        # SIGTERM meanwhile: the program ends by it, as any other.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    # Ray's own handlers would tell where the program was; a training sets one that saves it.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


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
    asked = []

    def forward(number: int, _: object) -> None:
        asked.append(number)
        child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, forward)
    code = child.wait()
    ended = os.read(told, 1)
    if not ended and code == 1 and not asked:
        again = "run the command again"
        if "train" in words:
            again = "a training goes on from its last checkpoint by afterstate train --resume RUN, with a "
            again += "cluster or without"
        print(f"error: the cluster at {address!r} is gone: Ray has lost its head; {again}", file=sys.stderr)
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
