"""Tests that need several nodes are skipped on one server."""

import pytest

from tests.cluster.databases import running_cluster
from tests.cluster.nodes import Cluster


@pytest.fixture
def nodes() -> Cluster:
    """Nodes of the cluster that `make test-cluster` runs on."""
    found = running_cluster()
    if found is None:
        pytest.skip("needs `make test-cluster`")
    return found
