"""Fixtures of the fault tests: an S3 server that misbehaves when asked to, and a Dask cluster of real processes."""

import json

import fsspec
import pytest

from tests.faults.faulty_s3 import FaultyS3


@pytest.fixture(scope="session")
def s3_server():
    pytest.importorskip("s3fs", reason="the extra `cloud` is not installed")
    pytest.importorskip("moto.server", reason="moto is not installed")
    with FaultyS3() as server:
        yield server


@pytest.fixture
def s3(s3_server, monkeypatch):
    """A server with an empty bucket, and the environment variables that lead s3fs to it."""
    for name, value in s3_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(fsspec.config.conf, "s3", json.loads(s3_server.environment()["FSSPEC_S3"]))
    s3_server.reset()
    yield s3_server
    s3_server.reset()
