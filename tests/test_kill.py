"""Killed under a write load: what was acknowledged is there, once, and all work is done. See also `benchmarks.kill`."""

from benchmarks.kill import NAMESPACE, inspect, kill_in_turn
from benchmarks.load import load
from benchmarks.running import running_service


def test_what_was_acknowledged_outlives_the_death_of_api_worker_and_postgres() -> None:
    with running_service(GRAPHMEM_NEO4J__ENABLED="false") as service:
        with load(service, NAMESPACE, clients=4) as writes:
            kill_in_turn(service, writes, ("API", "worker", "Postgres"), between=125)
        damage = inspect(service, writes, sample=50)

    assert damage.acknowledged >= 500
    assert [str(bar) for bar in damage.bars() if not bar.holds] == []
