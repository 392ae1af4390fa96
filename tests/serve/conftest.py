"""What the tests of this room share."""

from pathlib import Path

import pytest

from tests.serve.small_datasets import build_small


@pytest.fixture(scope="session")
def small_dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "small"
    build_small(str(folder))
    return folder
