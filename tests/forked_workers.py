"""Test processes of pytest-xdist that are forked once one process has collected the tests.

Otherwise each of them imports and collects everything for itself, in ten seconds. The controller
forks the collector, and connects to the workers which that forks. If the collector fails, and after
a worker has crashed, xdist starts workers as usual.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Event, Thread, current_thread, main_thread
from typing import Any, NamedTuple, cast

import _pytest.config
import pytest
from _pytest import tmpdir
from _pytest.capture import CaptureManager
from execnet import gateway_base, gateway_io
from xdist.remote import setup_config


class _Pipes(NamedTuple):
    """Two pipes: what each side reads, and what it writes, as file descriptors."""

    worker: tuple[int, int]
    controller: tuple[int, int]

    @classmethod
    def make(cls) -> "_Pipes":
        """Make the pipes to a worker and back."""
        there, back = os.pipe(), os.pipe()
        return cls(worker=(there[0], back[1]), controller=(back[0], there[1]))


class _Connection(gateway_io.Popen2IOMaster):
    """Connection of the controller to a forked worker."""

    def __init__(self, pipes: _Pipes, execmodel: Any) -> None:
        received, sent = os.fdopen(pipes.controller[0], "rb"), os.fdopen(pipes.controller[1], "wb")
        cast("Any", gateway_base.Popen2IO).__init__(self, sent, received, execmodel)
        # Nothing comes if the collector has failed.
        self.pid = int(received.readline() or 0)
        if not self.pid:
            received.close()
            sent.close()

    def wait(self) -> None:
        """Return at once: the collector waits for its workers, and the controller for it."""

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


class _Node(NamedTuple):
    """What plugins need of a node to say what its workers begin with."""

    config: pytest.Config
    workerinput: dict[str, Any]


def fork_workers(config: pytest.Config) -> Callable[[], None]:
    """Fork the collector in the controller; return the function that waits for its end."""
    if set(config.option.tx) != {"popen"} or config.pluginmanager.has_plugin("_cov"):
        return lambda: None
    node = _Node(config, {"workerid": "collector", "mainargv": sys.argv})
    config.hook.pytest_configure_node(node=node)
    pipes = [_Pipes.make() for _ in config.option.tx]
    sys.stdout.flush()
    collector = os.fork()
    if collector == 0:
        try:
            _collect(config.invocation_params.args, node.workerinput, pipes)
        finally:
            os._exit(0)
    _close(each.worker for each in pipes)
    start = gateway_io.create_io

    def connect(spec: Any, execmodel: Any) -> gateway_io.Popen2IOMaster:
        while pipes:
            connection = _Connection(pipes.pop(0), execmodel)
            if connection.pid:
                return connection
        return start(spec, execmodel)

    def wait() -> None:
        # A worker that nothing was connected to ends with its input.
        _close(each.controller for each in pipes)
        os.waitpid(collector, 0)

    gateway_io.create_io = connect
    return wait


def _collect(args: tuple[str, ...], workerinput: dict[str, Any], pipes: list[_Pipes]) -> None:
    _close(each.controller for each in pipes)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    config = cast("Any", _pytest.config)._prepareconfig(list(args), None)
    collector = _Collector(config, config.option.dist, pipes)
    setup_config(config, None)
    config.workerinput = workerinput
    config.pluginmanager.register(collector)
    config.hook.pytest_cmdline_main(config=config)
    collector.end()


def _report_less(worker: Any, option: Any) -> None:
    """Let a worker send only what the controller shows: six messages for each test cost 2 ms.

    That a test begins, or that its fixtures have passed, is shown by a few options only.
    """
    if option.verbose > 0 or option.durations is not None or option.xmlpath is not None:
        return
    send = worker.sendevent

    def send_needed(name: str, **values: Any) -> None:
        data = values.get("data", {})
        if name == "testreport" and data["outcome"] == "passed" and not data["sections"]:
            if data["when"] != "call":
                return
            data["keywords"] = {}
        if name != "logstart":
            send(name, **values)

    worker.sendevent = send_needed


def _close(unused: Iterable[tuple[int, int]]) -> None:
    for pair in unused:
        for each in pair:
            os.close(each)


class _Collector:
    """Plugin of the collector that forks the workers. Each goes on with a copy of the session.

    What xdist runs in a worker, it runs in a thread, and waits there while the main thread runs
    the tests.
    """

    def __init__(self, config: pytest.Config, distribution: str, pipes: list[_Pipes]) -> None:
        self._config = config
        self._distribution = distribution
        self._pipes = pipes
        self._reports: list[pytest.CollectReport] = []
        self._is_prepared, self._is_done = Event(), Event()
        self._thread = Thread(target=self._serve, args=[sys.path], daemon=True)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what the workers have to report."""
        if not report.passed:
            self._reports.append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork the workers and wait for their end; in each of them, run the tests."""
        for place, pipes in enumerate(self._pipes):
            if os.fork() == 0:
                _close(each.worker for each in self._pipes[place + 1 :])
                return self._work(session, pipes)
            _close([pipes.worker])
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in self._pipes:
            os.wait()
        os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self) -> int | None:
        """Where xdist begins a session in a worker, wait for the end of the one that there is."""
        if current_thread() is main_thread():
            return None
        self._is_prepared.set()
        self._is_done.wait()
        return 0

    def end(self) -> None:
        """End the connection to the controller."""
        self._is_done.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self, session: pytest.Session, pipes: _Pipes) -> bool:
        plugins = self._config.pluginmanager
        capture = cast("CaptureManager", plugins.get_plugin("capturemanager"))
        capture.stop_global_capturing()
        os.dup2(pipes.worker[0], 0)
        os.dup2(pipes.worker[1], 1)
        _close([pipes.worker])
        os.write(1, f"{os.getpid()}\n".encode())
        before = plugins.get_plugins()
        self._thread.start()
        self._is_prepared.wait()
        capture.start_global_capturing()
        capture.suspend_global_capture()
        os.environ.update(cast("Any", self._config).workerinput["environ"])
        tmpdir.pytest_configure(self._config)
        (worker,) = plugins.get_plugins() - before
        _report_less(worker, self._config.option)
        worker.pytest_sessionstart(session)
        worker.pytest_collection_modifyitems(self._config, session.items)
        for report in self._reports:
            worker.pytest_collectreport(report)
        worker.pytest_collection_finish(session)
        return worker.pytest_runtestloop(session)

    def _serve(self, path: list[str]) -> None:
        """Serve the controller, as a process does that execnet has started."""

        def prepared(*_: object) -> pytest.Config:
            sys.path = path
            self._config.option.dist = self._distribution
            return self._config

        cast("Any", _pytest.config)._prepareconfig = prepared
        with open(0, "rb", buffering=0, closefd=False) as program:
            sent = program.readline()
        if sent:
            os.write(1, b"1")
            execnet = cast("Any", gateway_base)
            execnet.serve(
                execnet.init_popen_io(execnet.get_execmodel("main_thread_only")), id="forked"
            )
        if not self._is_prepared.is_set():
            os._exit(1)
