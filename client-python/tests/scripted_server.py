"""A server that answers as a test says, for tests of retries and errors."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """The connection breaks in the middle of the body."""
    wait: float = 0
    """The answer comes so many seconds late."""


@dataclass
class Server:
    url: str
    answers: list[Answer | None]
    """The next answers. None: the connection breaks without one. Without any, the last one is repeated."""
    requests: list[dict[str, Any]] = field(default_factory=list)


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that has waited long enough is gone."""


@contextmanager
def scripted_server(*answers: Answer | None) -> Iterator[Server]:
    state = Server("", list(answers))
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_any(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(length).decode()
            state.requests.append({"method": self.command, "path": self.path, "headers": headers, "body": body})
            answer = state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
            self.close_connection = True
            if answer is None:
                return
            done.wait(answer.wait)
            text = answer.body if isinstance(answer.body, (str, bytes)) else json.dumps(answer.body)
            content = text.encode() if isinstance(text, str) else text
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content[:-1] if answer.cut else content)

        do_GET = do_POST = do_PATCH = do_DELETE = do_any

        def log_message(self, *_: object) -> None:
            pass

    server = QuietServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield state
    finally:
        done.set()
        server.shutdown()
        server.server_close()


def error(status: int, kind: str, code: str, **headers: str) -> Answer:
    """The answer of the API with an error."""
    detail = {"type": kind, "code": code, "message": f"This is {code}.", "docUrl": f"https://remit.example.com/{code}"}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": detail}, {"X-Request-Id": "req_1", **names})
