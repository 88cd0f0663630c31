"""Hostile clients do not keep the server from answering others."""

from pathlib import Path

import pytest

from tests.attackers import Attack, DripsBody, DripsHead, NeverHangsUp, NeverReads, SaysNothing
from tests.ops.web import serving
from tests.servers.tree import until

ATTACKERS = 200
ROUNDS = 5
REQUESTS = 20
ELSEWHERE = "127.0.0.2"  # the attackers' address
TWICE = 2.0
NOISE = 0.05  # seconds: a process that waits for a processor


@pytest.mark.long
def test_slow_and_silent_clients_do_not_slow_others_down(tmp_path: Path) -> None:
    with serving(tmp_path) as web:
        web.get("/openapi.json")
        workers = web.workers()
        before = web.took("/v1/catalogue", ROUNDS * REQUESTS)
        with Attack(web.address, ATTACKERS, source=ELSEWHERE) as attack:
            during = min(web.took("/v1/catalogue", REQUESTS) for _ in range(ROUNDS))
            assert during < TWICE * before + NOISE
            for kind in (NeverHangsUp, DripsHead, DripsBody, SaysNothing, NeverReads):
                until(lambda kind=kind: attack.all_closed(kind), f"the end of {kind.__name__}")  # type: ignore[misc]
            assert web.get("/healthz")[0] == 200
        assert web.workers() == workers
        assert "Traceback" not in web.log.read_text()
