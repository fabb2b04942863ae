"""What tests share: a small network of 2048 on 3x3 cells, trained in a moment, and a Ray cluster."""

import pytest

import afterstate


@pytest.fixture(scope="session")
def network_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "network"
    recipe = {
        "game": "2048:3x3",
        "seed": 1,
        "budget": {"episodes": 1500},
        "log": {"window": 250},
        "network": {"tuples": [[0, 1, 2, 3], [1, 2, 4, 5]]},
        "phase": [{"method": "td", "rate": 0.1}],
    }
    return afterstate.train(recipe, out=folder, threads=1, progress=False)


@pytest.fixture(scope="session")
def network_file(network_run):
    return network_run.path / "agent.safetensors"


@pytest.fixture
def nodes():
    from ray_nodes import Nodes

    made = Nodes(3)
    yield made
    made.close()
