"""One child process with its whole process group: start, read, stop, never hang.

The child leads a session and a process group of its own, so that a Ctrl-C at rota's terminal does not reach it and a
kill reaches all that it started. **The group ends with its leader**: children that are left behind and still hold its
output may go on for `linger`, then whatever is left of the group is killed. What must outlive its run starts a session
of its own (`setsid`).

POSIX only. Blocking: the caller gives it a thread. `stop` may be called from any other.
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from rota.clock import SystemClock

Receive = Callable[[bytes], None]

GRACE: Final = timedelta(seconds=5)
"""Between SIGTERM and SIGKILL."""
LINGER: Final = timedelta(seconds=1)
"""How long the output of children that outlive their leader is still read."""

_TICK_S: Final = 0.05
_READ: Final = 64 * 1024
# Children are real, so is the time they are given: never the simulated clock's.
_monotonic = SystemClock().monotonic


@dataclass(frozen=True, slots=True)
class Ended:
    """How the leader ended: its exit code, or the signal that killed it; `stopped` if `stop` had signalled it."""

    code: int | None
    signal: int | None
    stopped: bool


@dataclass(frozen=True, slots=True)
class Pipes:
    """Who reads what the child writes, by its file descriptor in this process: 1 and 2 are its stdout and stderr.

    `keep` are descriptors that the child inherits; `close` are closed here as soon as it has them. Other descriptors
    of `receive` are read ends that the caller opened; they are closed at the end.
    """

    receive: Mapping[int, Receive] = field(default_factory=dict)
    keep: tuple[int, ...] = ()
    close: tuple[int, ...] = ()


class Process:
    """One child, once: `run` starts it and returns when it has ended, with its group and its output."""

    def __init__(self, grace: timedelta = GRACE, linger: timedelta = LINGER) -> None:
        self._grace_s = grace.total_seconds()
        self._linger_s = linger.total_seconds()
        self._lock = threading.Lock()
        self._stopping = False
        self._wake: int | None = None
        self._kill_at: float | None = None
        self._refused = False

    def stop(self) -> None:
        """SIGTERM to the group now, SIGKILL after the grace. Before the start: it is not started. Any thread."""
        with self._lock:
            self._stopping = True
            if self._wake is not None:
                os.write(self._wake, b"x")

    @property
    def signalled(self) -> bool:
        """Whether `stop` reached it before its end: it was signalled, or not even started."""
        return self._kill_at is not None or self._refused

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        pipes: Pipes | None = None,
        started: Callable[[], None] | None = None,
    ) -> Ended:
        """Start `argv` and wait for its end. Raises OSError or ValueError where it cannot be started.

        `receive` gets what the child writes as it comes, and is called in this thread only; if it raises, the group is
        killed and the error goes on. `started` is called once the child runs.
        """
        pipes = pipes or Pipes()
        read, write = os.pipe()
        try:
            with self._lock:
                if self._stopping:
                    self._refused = True
                    _close(pipes.close)
                    return Ended(None, None, stopped=True)
                self._wake = write
            with _spawn(argv, env, cwd, pipes) as child:
                try:
                    if started:
                        started()
                    self._attend(child, read, pipes)
                finally:
                    # The leader is not reaped yet (see _attend), so its number still means this group and no other.
                    _signal_group(child.pid, signal.SIGKILL)
                    child.wait()
        finally:
            with self._lock:
                self._wake = None
            _close((read, write, *(fd for fd in pipes.receive if fd > 2)))
        code = child.returncode
        return Ended(None if code < 0 else code, -code if code < 0 else None, self._kill_at is not None)

    def _attend(self, child: subprocess.Popen[bytes], wake: int, pipes: Pipes) -> None:
        """Read and signal until the leader has ended and nobody writes any more, or `linger` is over."""
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            selector.register(wake, selectors.EVENT_READ, "wake")
            exit_fd = _exit_descriptor(child.pid)
            if exit_fd is not None:
                stack.callback(os.close, exit_fd)
                selector.register(exit_fd, selectors.EVENT_READ, "exit")
            sources = {_source(child, fd): receive for fd, receive in pipes.receive.items()}
            for fd, receive in sources.items():
                selector.register(fd, selectors.EVENT_READ, receive)
            self._loop(child, selector, set(sources), exit_fd is not None)

    def _loop(
        self, child: subprocess.Popen[bytes], selector: selectors.BaseSelector, open_fds: set[int], notified: bool
    ) -> None:
        give_up_at: float | None = None
        while give_up_at is None or (open_fds and _monotonic() < give_up_at):
            for key, _ in selector.select(self._patience(give_up_at, notified)):
                if key.data == "wake":
                    os.read(key.fd, 16)
                    if give_up_at is None:
                        self._terminate(child.pid)
                    else:  # what the leader left behind is not worth waiting for once a stop is asked for
                        give_up_at = _monotonic()
                elif key.data == "exit":
                    selector.unregister(key.fd)
                elif not _pump(key.fd, key.data):
                    selector.unregister(key.fd)
                    open_fds.discard(key.fd)
            if self._kill_at is not None and _monotonic() >= self._kill_at:
                _signal_group(child.pid, signal.SIGKILL)
                self._kill_at += self._grace_s
            if give_up_at is None and _has_ended(child):
                give_up_at = _monotonic() + self._linger_s

    def _terminate(self, pid: int) -> None:
        """SIGTERM, once. A child that is stopped would look at it only when it goes on, hence SIGCONT."""
        if self._kill_at is None:
            self._kill_at = _monotonic() + self._grace_s
            _signal_group(pid, signal.SIGTERM)
            _signal_group(pid, signal.SIGCONT)

    def _patience(self, give_up_at: float | None, notified: bool) -> float | None:
        instants = [at for at in (give_up_at, self._kill_at) if at is not None]
        longest = None if notified else _TICK_S
        if not instants:
            return longest
        left = max(min(instants) - _monotonic(), 0.0)
        return left if longest is None else min(left, longest)


def _spawn(
    argv: Sequence[str], env: Mapping[str, str] | None, cwd: str | None, pipes: Pipes
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - running what the job declares is this module's purpose; no shell is added
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if 1 in pipes.receive else subprocess.DEVNULL,
            stderr=subprocess.PIPE if 2 in pipes.receive else subprocess.DEVNULL,
            env=None if env is None else dict(env),
            cwd=cwd,
            pass_fds=pipes.keep,
            start_new_session=True,
            bufsize=0,
        )
    finally:
        _close(pipes.close)


def _close(fds: Iterable[int]) -> None:
    for fd in fds:
        os.close(fd)


def _source(child: subprocess.Popen[bytes], fd: int) -> int:
    stream: Any = {1: child.stdout, 2: child.stderr}.get(fd)
    return fd if stream is None else int(stream.fileno())


def _pump(fd: int, receive: Receive) -> bool:
    """Hand over what can be read; False at the end of the stream."""
    data = os.read(fd, _READ)
    if data:
        receive(data)
    return bool(data)


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the child ends, where the system has such a thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Whether the leader has ended, leaving it unreaped where the system allows: its number must not be used again."""
    if not hasattr(os, "waitid"):
        return child.poll() is not None
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True  # reaped by somebody else, who waits for every child of this process


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return
    except OSError as error:
        if error.errno != errno.EPERM:  # macOS answers EPERM for a group of zombies; a setuid child is beyond us
            raise
