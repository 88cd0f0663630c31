"""Many streams on one web process: none misses anything, and they need few connections."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from flask import Flask

from service.app import create_app
from service.db.session import db
from tests.ops.streams import Followers, sign_in_all, tell_all
from tests.ops.web import Web, serving
from tests.servers.postgres import Postgres
from tests.support.site import settings_for

PEOPLE = 30
STREAMS_EACH = 10
ROUNDS = 5
TOLD_EACH = 4
THREADS = 4
OURS = "test"
CONNECTIONS = THREADS + 4  # the watcher, two readers of news, and a health check


@pytest.mark.long
def test_three_hundred_streams_miss_nothing_and_need_a_handful_of_connections(
    tmp_path: Path, postgres_server: Postgres
) -> None:
    url = postgres_server.create_database()
    try:
        with serving(
            tmp_path,
            LAGUNA_DATABASE_URL=url,
            LAGUNA_WEB_WORKERS="1",
            LAGUNA_WEB_THREADS=str(THREADS),
            LAGUNA_WEB_CONNECTIONS_PER_ADDRESS="0",
        ) as web:
            app = create_app(settings_for(tmp_path, f"{url}?application_name={OURS}"))
            asyncio.run(follow(web, app, url))
            with app.app_context():
                db.engine.dispose()
    finally:
        postgres_server.drop_database(url)


async def follow(web: Web, app: Flask, url: str) -> None:
    people = sign_in_all(app, PEOPLE)
    followers = Followers(web.address, list(people.values()) * STREAMS_EACH)
    await followers.open()
    assert {one.status for one in followers.all} == {200}
    for number in range(1, ROUNDS + 1):
        await asyncio.to_thread(tell_all, app, list(people), TOLD_EACH)
        await followers.until_all_have(number * TOLD_EACH)
        assert connections(url) <= CONNECTIONS
    assert sum(one.missed(ROUNDS * TOLD_EACH) for one in followers.all) == 0
    assert not any(one.ended for one in followers.all)
    await followers.close()


def connections(url: str) -> int:
    """Connections to this database but for those of this process."""
    with psycopg.connect(url.replace("+psycopg", "", 1), application_name=OURS) as own:
        found = own.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name != %s",
            (OURS,),
        ).fetchone()
    assert found is not None
    return int(found[0])
