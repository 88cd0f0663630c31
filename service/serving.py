"""The service under gunicorn: processes with threads, our logs, our metrics."""

import ctypes
import re
import signal
import sys
from typing import Any

import structlog
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from prometheus_client import multiprocess

from service.app import create_app
from service.config import Settings
from service.database import db
from service.observing import configure_logging
from service.refusing import Worker
from service.seals import without_seals
from service.waking import Waker, set_waker

log = structlog.get_logger()

LONGEST_LINE = 8190  # what gunicorn can be set to
GRACE = 2  # seconds for requests under way; those that wait for events ask again
PR_SET_PDEATHSIG = 1  # see prctl(2)
_SECRET = re.compile(r"\b(lag|inv?)_[a-z2-7]{8,}")


class StructuredLog(Logger):
    """What gunicorn has to say, in the form of our logs and without secrets of addresses."""

    def _say(self, level: str, message: str, *args: Any, **kwargs: Any) -> None:
        text = without_seals(_SECRET.sub(r"\1_***", message % args if args else message))
        log.log(_LEVELS[level], "gunicorn", said=text, **kwargs)

    def critical(self, msg: str, *args: Any, **kwargs: Any) -> None:
        self._say("critical", msg, *args, **kwargs)

    def error(self, msg: str, *args: Any, **kwargs: Any) -> None:
        self._say("error", msg, *args, **kwargs)

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        self._say("warning", msg, *args, **kwargs)

    def info(self, msg: str, *args: Any, **kwargs: Any) -> None:
        self._say("debug", msg, *args, **kwargs)  # which process came and went

    def debug(self, msg: str, *args: Any, **kwargs: Any) -> None:
        pass

    def exception(self, msg: str, *args: Any, **kwargs: Any) -> None:
        if isinstance(sys.exception(), BlockingIOError):  # half a request, which is no news
            self._say("debug", msg, *args, **kwargs)
        else:
            self._say("error", msg, *args, exc_info=True, **kwargs)

    def log(self, lvl: Any, msg: str, *args: Any, **kwargs: Any) -> None:
        self._say("info", msg, *args, **kwargs)


_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


class Server(BaseApplication):
    """gunicorn with settings of ours; nothing of its own command line or files."""

    def __init__(self, settings: Settings, socket: int, waker: Waker | None) -> None:
        self.settings, self.socket, self.waker = settings, socket, waker
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, Any] = {
            "bind": [f"fd://{self.socket}"],
            "worker_class": Worker,
            "limit_request_line": LONGEST_LINE,
            "workers": self.settings.web_workers,
            "threads": self.settings.web_threads,
            "preload_app": True,
            "graceful_timeout": GRACE,
            "logger_class": StructuredLog,
            "proc_name": "laguna",
            "secure_scheme_headers": {},  # proxies are trusted by LAGUNA_TRUSTED_PROXIES alone
            "control_socket_disable": True,
            "post_fork": _forked,
            "child_exit": _exited,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        app = create_app(self.settings)
        if self.waker is not None:
            set_waker(app, self.waker)
        return app


def _forked(_: Arbiter, worker: Any) -> None:
    """A new process must not use connections of the one it came from, nor outlive it.

    gunicorn's own look at its parent waits for requests under way, which may be streams.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    app: Flask = worker.app.wsgi()
    with app.app_context():
        db.engine.dispose(close=False)


def _exited(_: Arbiter, worker: Any) -> None:
    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def serve_forever(settings: Settings, socket: int, waker: Waker | None = None) -> None:
    """Answer requests on this listening socket until a signal says otherwise."""
    configure_logging(settings)
    Server(settings, socket, waker).run()
