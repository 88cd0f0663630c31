"""Streams of events on one web process, on PostgreSQL.

Opens STREAMS streams (`BENCH_STREAMS`, 2,000), tells their people something in several rounds from
another process, and counts what a stream missed. Prints the number of database connections, the
memory of the web process, and the time of a GET with and without the streams, and while news go
out.
"""

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

# Run as a script, this file would be found under the name of the package it measures.
ROOT = Path(__file__).parents[1]
sys.path[:] = [str(ROOT)] + [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

import psutil  # type: ignore[import-untyped]  # noqa: E402
from flask import Flask  # noqa: E402

from engine.contract import Json  # noqa: E402
from service.app import create_app  # noqa: E402
from service.db.session import db  # noqa: E402
from tests.ops.streams import Followers, sign_in_all, tell_all  # noqa: E402
from tests.ops.test_streams import OURS, connections  # noqa: E402
from tests.ops.web import Web, serving  # noqa: E402
from tests.servers.postgres import PostgresServer  # noqa: E402
from tests.support.site import settings_for  # noqa: E402

STREAMS = int(os.environ.get("BENCH_STREAMS", "2000"))
PEOPLE = max(1, STREAMS // 4)
ROUNDS = 5
TOLD_EACH = 2
REQUESTS = 200
PATH = "/v1/catalogue"
FILES = 3 * STREAMS + 1000


async def measure(web: Web, app: Flask, url: str) -> Json:
    people = sign_in_all(app, PEOPLE)
    process = psutil.Process(web.process.pid)

    def took() -> float:
        return min(web.took(PATH, REQUESTS) for _ in range(3))

    before = took()
    memory = process.memory_info().rss
    followers = Followers(web.address, (list(people.values()) * 4)[:STREAMS])
    began = time.perf_counter()
    await followers.open()
    opened = time.perf_counter() - began
    waiting = await asyncio.to_thread(took)
    cpu = process.cpu_times()
    await asyncio.sleep(5)
    idle = process.cpu_times()
    busy: list[float] = []
    late: list[float] = []
    for number in range(1, ROUNDS + 1):
        told = asyncio.create_task(asyncio.to_thread(tell_all, app, list(people), TOLD_EACH))
        busy.append(await asyncio.to_thread(web.took, PATH, 20))
        await told
        began = time.perf_counter()
        await followers.until_all_have(number * TOLD_EACH)
        late.append(time.perf_counter() - began)
    found = {
        "streams": sum(one.status == 200 and not one.ended for one in followers.all),
        "events_sent": STREAMS * ROUNDS * TOLD_EACH,
        "missed": sum(one.missed(ROUNDS * TOLD_EACH) for one in followers.all),
        "database_connections": connections(url),
        "kilobytes_per_stream": round((process.memory_info().rss - memory) / STREAMS / 1024, 1),
        "cpu_of_waiting_streams": round((idle.user + idle.system - cpu.user - cpu.system) / 5, 3),
        "seconds_to_open_all": round(opened, 1),
        "seconds_until_all_have_news": [round(one, 2) for one in late],
        "get_with_streams_to_without": round(waiting / before, 2),
        "get_while_news_go_out_to_without": round(sorted(busy)[ROUNDS // 2] / before, 2),
    }
    await followers.close()
    return found


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, hard), hard))
    with PostgresServer() as server, tempfile.TemporaryDirectory() as folder:
        data, url = Path(folder), server.create_database()
        with serving(
            data,
            LAGUNA_DATABASE_URL=url,
            LAGUNA_WEB_WORKERS="1",
            LAGUNA_WEB_CONNECTIONS_PER_ADDRESS="0",
            LAGUNA_LOG_LEVEL="warning",
        ) as web:
            app = create_app(settings_for(data, f"{url}?application_name={OURS}"))
            found = asyncio.run(measure(web, app, url))
            with app.app_context():
                db.engine.dispose()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
