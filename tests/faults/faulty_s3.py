"""moto's S3 server on loopback, with faults on demand: errors, silence, cut connections, lost answers."""

import contextlib
import json
import socket
import threading
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

How = Literal["500", "503", "silent", "cut", "answer lost", "403"]


@dataclass
class Fault:
    how: How
    method: str
    fragment: str
    times: int
    met: int = 0

    def meets(self, environ: dict) -> bool:
        address = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"
        return self.met < self.times and environ["REQUEST_METHOD"] == self.method and self.fragment in address


class FaultyS3:
    def __init__(self):
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self.requests: list[tuple[str, str]] = []
        self.bucket = ""

    def __enter__(self) -> "FaultyS3":
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Quiet(WSGIRequestHandler):
            def log(self, type, message, *args):
                pass

        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def environment(self) -> dict[str, str]:
        quick = {"connect_timeout": 2, "read_timeout": 2}
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._server.server_port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
            "FSSPEC_S3": json.dumps({"config_kwargs": quick}),
        }

    def reset(self) -> None:
        """Forget all faults and begin a new, empty bucket."""
        import s3fs

        with self._lock:
            self._faults.clear()
        self.bucket = f"bucket-{uuid.uuid4().hex[:12]}"
        self.files = s3fs.S3FileSystem(
            endpoint_url=self.environment()["AWS_ENDPOINT_URL"],
            key="testing",
            secret="testing",
            use_listings_cache=False,
        )
        self.files.mkdir(self.bucket)
        self.requests.clear()

    def url(self, prefix: str = "dataset") -> str:
        return f"s3://{self.bucket}/{prefix}"

    def fail(self, how: How, method: str = "PUT", fragment: str = "part-", times: int = 1) -> Fault:
        """Spoil the next ``times`` requests of this method whose address has the fragment."""
        fault = Fault(how, method, fragment, times)
        with self._lock:
            self._faults.append(fault)
        return fault

    def _answer(self, environ: dict, start_response) -> Iterable[bytes]:
        with self._lock:
            self.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
            fault = next((f for f in self._faults if f.meets(environ)), None)
            if fault is not None:
                fault.met += 1
        if fault is None:
            return self._moto(environ, start_response)
        if fault.how in ("500", "503", "403"):
            _read(environ, 1.0)
            status, code = {
                "500": ("500 Internal Server Error", "InternalError"),
                "503": ("503 Slow Down", "SlowDown"),
                "403": ("403 Forbidden", "AccessDenied"),
            }[fault.how]
            body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>injected</Message></Error>".encode()
            start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [body]
        if fault.how == "silent":
            _read(environ, 1.0)
            time.sleep(3)
        elif fault.how == "cut":
            _read(environ, 0.5)
        else:  # the work is done and nobody hears of it
            list(self._moto(environ, lambda *args: None))
        with contextlib.suppress(OSError):
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError


def _read(environ: dict, share: float) -> None:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    environ["wsgi.input"].read(int(length * share))
