"""The image and the composition, against the commands, settings and routes there really are."""

import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psutil  # type: ignore[import-untyped]
import pytest
import yaml

from engine.cli.parser import build_parser
from service.api.openapi import openapi_document
from service.app import create_app
from service.cli.openapi_config import shown_settings
from service.cli.parser import add_commands
from service.core.config import Settings, from_environment, mail_source
from service.db.migrations import SCRIPTS
from tests.servers.ports import free_port
from tests.servers.tree import PATIENCE, kill_tree, until

ROOT = Path(__file__).parents[1]
COMPOSITION: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSITION["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
WITHOUT_A_HOUSE = ("migrate",)  # ends by itself
ENDING = ("migrate", "backup")
METRICS_PORT = 9464
SECRETS = ("LAGUNA_SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "LAGUNA_METRICS_TOKEN")
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class Instruction(NamedTuple):
    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The words of a command in either of the two forms."""
        if self.rest.startswith("["):
            return [str(word) for word in yaml.safe_load(self.rest)]
        return [word for word in shlex.split(self.rest) if not word.startswith("--")]


def stages() -> list[list[Instruction]]:
    """The Dockerfile's instructions, by stage."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    found: list[list[Instruction]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            if name == "FROM":
                found.append([])
            found[-1].append(Instruction(name, rest.strip()))
    return found


FINAL = stages()[-1]


def final(name: str) -> list[str]:
    return [one.rest for one in FINAL if one.name == name]


def example() -> dict[str, str]:
    """The variables of .env.example, secrets filled in."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return given | {name: hashlib.sha256(name.encode()).hexdigest() for name in SECRETS}


def filled(value: object) -> str:
    """A value as `docker compose` hands it on."""
    given = example()

    def replace(match: re.Match[str]) -> str:
        name, kind, rest = match.groups()
        if given.get(name):
            return given[name]
        assert kind != "?", f"{name} is needed and not in .env.example"
        return rest or ""

    return VARIABLE.sub(replace, str(value)).replace("$$", "$")


def environment(name: str) -> dict[str, str]:
    """The variables a container of this service has."""
    of_image = dict(re.findall(r"(\w+)=(\S+)", " ".join(final("ENV"))))
    assert OURS[name]["env_file"] == [{"path": ".env", "required": False}]
    given = {key: value for key, value in example().items() if key.startswith("LAGUNA_")}
    own = {key: filled(value) for key, value in OURS[name]["environment"].items()}
    return of_image | given | own


@pytest.fixture(params=OURS)
def ours(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(ours: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """The settings of a service of ours, read as it reads them."""
    return settings_of(ours, monkeypatch, tmp_path)


def settings_of(name: str, monkeypatch: pytest.MonkeyPatch, data: Path) -> Settings:
    for known in [known for known in os.environ if known.startswith("LAGUNA_")]:
        monkeypatch.delenv(known)
    for key, value in environment(name).items():
        if key.startswith("LAGUNA_"):
            monkeypatch.setenv(key, value)
    monkeypatch.setenv("LAGUNA_DATA", str(data))
    return from_environment()


def parsed(words: list[str]) -> Any:
    assert words[0] == "laguna"
    return build_parser(add_commands).parse_args(words[1:])


def health_tests() -> Iterator[tuple[str, list[str]]]:
    for name, service in SERVICES.items():
        test = service.get("healthcheck", {}).get("test")
        if test is not None:
            yield name, test
    [check] = final("HEALTHCHECK")
    yield "Dockerfile", ["CMD", *yaml.safe_load(check.partition("CMD ")[2])]


# Commands


def test_every_service_of_the_composition_is_there() -> None:
    verbs = {name: service["command"][1:3] for name, service in OURS.items()}
    assert verbs["migrate"] == ["db", "upgrade"]
    assert verbs["api"] == ["serve"]
    assert [name for name, verb in verbs.items() if verb[0] == "beat"] == ["beat"]
    assert [name for name, verb in verbs.items() if verb[0] == "work"] == ["worker", "bots"]
    assert [name for name, verb in verbs.items() if verb[0] == "mail-in"] == ["mail-in"]
    assert SERVICES.keys() - OURS.keys() == {"proxy", "postgres", "redis", "backup", "mail"}


def test_every_command_is_one_we_have(ours: str) -> None:
    assert parsed(SERVICES[ours]["command"]).command


def test_the_image_by_itself_runs_a_command_we_have() -> None:
    [command] = [one.words for one in FINAL if one.name == "CMD"]
    assert parsed(command).command


def test_every_queue_has_a_worker_and_bots_have_one_of_their_own() -> None:
    from worker.schedule import BOTS, QUEUES

    served = {
        name: parsed(service["command"]).queues.split(",")
        for name, service in OURS.items()
        if service["command"][1] == "work"
    }
    assert sorted(chain.from_iterable(served.values())) == sorted(QUEUES)
    assert [BOTS] in served.values()


def test_every_replica_has_a_health_of_its_own() -> None:
    for name in OURS.keys() - set(WITHOUT_A_HOUSE) - {"api"}:
        [url] = re.findall(r"http://[^'\"]+", " ".join(SERVICES[name]["healthcheck"]["test"]))
        assert url == f"http://localhost:{METRICS_PORT}/healthz", name
        given = environment(name)
        assert given["LAGUNA_METRICS_PORT"] == str(METRICS_PORT)
        assert given["LAGUNA_METRICS_TOKEN"], "it listens on all addresses"
        assert "metrics" in SERVICES[name]["networks"], name


def test_settings_of_the_composition_are_those_it_must_decide() -> None:
    """Everything else is what .env says: all of it is handed on."""
    decided = {"DATABASE_URL", "REDIS_URL", "TRUSTED_HOSTS", "METRICS_HOST", "METRICS_PORT"}
    for name, service in OURS.items():
        for key, value in service["environment"].items():
            own = re.match(rf"\$\{{{key}:", str(value))
            assert own or key.removeprefix("LAGUNA_") in decided, f"{name}: {key}"


def test_several_web_replicas_share_no_port_of_this_machine() -> None:
    assert "ports" not in SERVICES["api"]
    assert "container_name" not in SERVICES["api"]
    caddyfile = (ROOT / "Caddyfile").read_text()
    [upstream] = re.findall(r"dynamic a (\S+) (\d+)", caddyfile)
    assert upstream == ("api", environment("api")["LAGUNA_PORT"])
    assert "flush_interval -1" in caddyfile, "event streams are not held back"
    assert set(SERVICES["proxy"]["networks"]) <= set(SERVICES["api"]["networks"])
    [mounted] = [one for one in SERVICES["proxy"]["volumes"] if one.startswith("./")]
    assert mounted == "./Caddyfile:/etc/caddy/Caddyfile:ro"
    assert environment("api")["LAGUNA_TRUSTED_PROXIES"] == "1"
    default = re.search(r"\{\$SITE_ADDRESS:(\S+)\} \{", caddyfile)
    assert default
    assert default[1] == example()["SITE_ADDRESS"]
    [port] = SERVICES["proxy"]["ports"]
    assert filled(port).endswith(default[1])
    [health] = re.findall(r"^http://localhost:\d+", caddyfile, re.MULTILINE)
    assert f"{health}/" in SERVICES["proxy"]["healthcheck"]["test"]


def test_every_container_has_a_limit_of_memory() -> None:
    for name, service in SERVICES.items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name


def test_a_backup_reaches_the_database_and_is_kept() -> None:
    backup = SERVICES["backup"]
    assert backup["image"] == SERVICES["postgres"]["image"], "pg_dump of the server's version"
    server = SERVICES["postgres"]["environment"]
    assert backup["environment"]["PGHOST"] == "postgres"
    assert backup["environment"]["PGUSER"] == server["POSTGRES_USER"]
    assert backup["environment"]["PGDATABASE"] == server["POSTGRES_DB"]
    assert backup["environment"]["PGPASSWORD"] == server["POSTGRES_PASSWORD"]
    assert set(backup["networks"]) <= set(SERVICES["postgres"]["networks"])
    [volume] = backup["volumes"]
    assert f"{volume.partition(':')[2]}/" in backup["command"][-1]


# Settings


def test_every_variable_is_one_we_know_and_those_needed_are_set(
    ours: str, settings: Settings
) -> None:
    given = environment(ours)
    known = shown_settings(settings).keys()
    assert {name for name in given if name.startswith("LAGUNA_")} <= known
    needed = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "PUBLIC_URL", "SMTP_URL", "MAIL_FROM"}
    assert {f"LAGUNA_{name}" for name in needed} <= given.keys()
    assert not settings.sqlite
    assert settings.database_url.startswith("postgresql://")
    assert settings.redis_url is not None
    assert settings.secret_key == example()["LAGUNA_SECRET_KEY"]
    assert settings.host == "127.0.0.1" or given["LAGUNA_HOST"] == "0.0.0.0"  # noqa: S104


def test_all_processes_have_the_same_settings_where_they_must() -> None:
    of_all = [environment(name) for name in OURS]
    for name in ("LAGUNA_DATABASE_URL", "LAGUNA_REDIS_URL", "LAGUNA_SECRET_KEY"):
        assert len({given[name] for given in of_all}) == 1


def test_the_example_names_every_variable_and_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    used = {match.group(1) for match in VARIABLE.finditer(text)}
    handed_on = shown_settings(settings_of("api", monkeypatch, tmp_path)).keys()
    assert used <= example().keys()
    assert example().keys() - {"COMPOSE_PROFILES"} <= used | handed_on
    assert example()["COMPOSE_PROFILES"] in SERVICES["mail"]["profiles"]


def test_replies_come_in_where_the_example_says_they_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (ROOT / ".env.example").read_text()
    [said] = re.findall(r"lmtp://\S+?(?= with)", text)
    source = mail_source(said)
    assert source.host == "0.0.0.0"  # noqa: S104 - within its container
    [port] = SERVICES["mail-in"]["ports"]
    assert filled(port).rpartition(":")[2] == str(source.port)
    assert "COMPOSE_PROFILES=mail-in" in text
    assert SERVICES["mail-in"]["profiles"] == ["mail-in"]
    assert settings_of("worker", monkeypatch, tmp_path).takes_replies is False, "as it stands"


def test_no_secret_is_written_down_and_none_has_a_default() -> None:
    written = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if line and not line.startswith("#")
    )
    text = (ROOT / "docker-compose.yml").read_text()
    for name in SECRETS:
        assert written[name] == ""
        uses = [match for match in VARIABLE.finditer(text) if match.group(1) == name]
        assert uses
        assert {match.group(2) for match in uses} == {"?"}, f"{name} must be set"
    for password in re.findall(r"(?im)^ *\w*(?:password|secret|token|key|auth)\w*: *(\S+)", text):
        assert password.startswith("${"), password
    assert not re.search(r"://[^$\s]*:[^$\s]+@", text)
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()
    assert ignored(".env")


def test_addresses_lead_to_services_that_let_us_in(ours: str, settings: Settings) -> None:
    database, redis = urlsplit(settings.database_url), urlsplit(settings.redis_url or "")
    assert isinstance(database.hostname, str)
    postgres = SERVICES[database.hostname]
    given = {key: filled(value) for key, value in postgres["environment"].items()}
    assert (database.username, database.password) == (
        given["POSTGRES_USER"],
        given["POSTGRES_PASSWORD"],
    )
    assert database.path == f"/{given['POSTGRES_DB']}"
    assert isinstance(redis.hostname, str)
    server = [filled(word) for word in SERVICES[redis.hostname]["command"]]
    assert server[server.index("--requirepass") + 1] == redis.password
    assert filled(SERVICES[redis.hostname]["environment"]["REDISCLI_AUTH"]) == redis.password
    for host in (database.hostname, redis.hostname):
        assert set(SERVICES[host]["networks"]) & set(SERVICES[ours]["networks"])


def test_the_worker_can_reach_the_mail_server_of_the_example(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = settings_of("worker", monkeypatch, tmp_path)
    host = urlsplit(settings.smtp_url or "").hostname
    assert host == "mail"
    assert set(SERVICES[host]["networks"]) & set(SERVICES["worker"]["networks"])


# Health, order, restarts


def test_health_checks_ask_for_a_page_there_is_on_the_port_there_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = settings_of("api", monkeypatch, tmp_path)
    urls = [
        (name, urlsplit(url))
        for name, test in health_tests()
        for url in re.findall(r"https?://[^'\"]+", " ".join(test))
    ]
    urls = [(name, url) for name, url in urls if name in ("api", "Dockerfile")]
    assert len(urls) == 2
    assert final("EXPOSE") == [str(settings.port)]
    client = create_app(settings).test_client()
    for _, url in urls:
        assert url.port == settings.port
        assert client.get(url.path, headers={"Host": url.netloc}).status_code == 200
        assert client.get(url.path, headers={"Host": "elsewhere.example"}).status_code == 400


def test_dependencies_have_health_checks() -> None:
    for name, service in SERVICES.items():
        for other, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert SERVICES[other]["healthcheck"]["test"], f"{name} waits for {other}"
            else:
                assert wanted["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "no"


def test_services_start_after_the_migrations() -> None:
    for name in OURS.keys() - set(WITHOUT_A_HOUSE):
        waits = OURS[name]["depends_on"]
        assert waits["migrate"]["condition"] == "service_completed_successfully"
        assert waits["postgres"]["condition"] == waits["redis"]["condition"] == "service_healthy"


def test_services_are_restarted_and_health_checked() -> None:
    for name in SERVICES.keys() - set(ENDING):
        assert SERVICES[name]["restart"] == "unless-stopped", name
        assert SERVICES[name]["healthcheck"]["test"], name


# Who can reach what


def test_only_this_machine_reaches_the_service_and_nothing_else() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    always = [name for name in published if "profiles" not in SERVICES[name]]
    assert always == ["proxy"]
    for ports in published.values():
        for port in ports:
            assert filled(port).startswith("127.0.0.1:")


def test_the_data_is_reached_from_inside_only() -> None:
    assert COMPOSITION["networks"]["data"] == {"internal": True}
    assert COMPOSITION["networks"]["metrics"] == {"internal": True}
    for name in ("postgres", "redis"):
        assert SERVICES[name]["networks"] == ["data"]
    used = {network for service in SERVICES.values() for network in service["networks"]}
    assert used == COMPOSITION["networks"].keys()


def test_what_must_last_is_on_a_volume() -> None:
    kept = {
        volume.split(":")[0]: volume.split(":")[1]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if not volume.startswith("./")
    }
    assert kept == {
        "postgres": "/var/lib/postgresql/data",
        "redis": "/data",
        "caddy": "/data",
        "backups": "/backups",
    }
    assert kept.keys() == COMPOSITION["volumes"].keys()


def test_no_process_of_ours_has_more_rights_than_it_needs(ours: str) -> None:
    service = OURS[ours]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    writable = {mount.split(":")[0] for mount in service["tmpfs"]}
    assert environment(ours)["LAGUNA_DATA"] in writable
    assert "/tmp" in writable  # noqa: S108
    assert not {"privileged", "user", "network_mode", "pid"} & service.keys()


# The image


def test_images_are_pinned() -> None:
    images = [service["image"] for service in SERVICES.values() if "build" not in service]
    images += [one.rest.split()[0] for stage in stages() for one in stage if one.name == "FROM"]
    assert len(images) == 7
    for image in images:
        assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+(\.\d+)?(-[\w-]+)?", image), image
    assert {service["image"] for service in OURS.values()} == {"laguna:local"}


def test_the_image_runs_as_somebody_who_may_do_little() -> None:
    [user] = final("USER")
    uid, gid = (int(part) for part in user.split(":"))
    assert uid > 0
    assert gid > 0
    [made] = [rest for rest in final("RUN") if "useradd" in rest]
    assert f"--uid {uid}" in made
    assert f"--gid {gid}" in made
    names = [one.name for one in FINAL]
    assert names.index("USER") > max(place for place, name in enumerate(names) if name == "RUN")
    mounts = [mount for service in OURS.values() for mount in service["tmpfs"]]
    assert {mount for mount in mounts if "uid=" in mount} == {
        f"/var/lib/laguna:uid={uid},gid={gid},mode=0700"
    }


def test_the_image_has_no_tools_to_build_with_and_ends_when_asked() -> None:
    assert len(stages()) == 2
    said = " ".join(one.rest for one in FINAL if one.name == "RUN")
    assert not re.search(r"\b(pip|apt-get|apt|gcc|make|curl|git)\b", said)
    assert final("STOPSIGNAL") == ["SIGTERM"]
    assert not final("ADD")


def copied(stage: list[Instruction]) -> Iterator[tuple[str, str]]:
    """What a stage takes from here, and where to."""
    for one in stage:
        if one.name == "COPY" and "--from" not in one.rest:
            *sources, target = one.words
            for source in sources:
                yield source, target


def ignored(path: str) -> bool:
    """Whether .dockerignore keeps it out; the last line that fits decides."""
    out = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            parents = [path, *(str(parent) for parent in Path(path).parents)]
            if any(fnmatch.fnmatch(part, pattern) for part in parents if part != "."):
                out = not line.startswith("!")
    return out


def test_what_the_image_copies_is_there_and_not_kept_out() -> None:
    for stage in stages():
        for source, _ in copied(stage):
            assert (ROOT / source).exists(), source
            assert not ignored(source), source
    for path in (".git", ".venv", "var", "tests", "docs/operations.md", "bench"):
        assert ignored(path), path


def test_the_image_has_all_that_its_commands_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A copy of what the image has, and nothing beside it, makes tables and shows every page."""
    app = tmp_path / "app"
    for source, target in copied(FINAL):
        place = app / target / source if target.endswith("/") else app / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, place)
    assert (app / SCRIPTS.relative_to(ROOT)).is_dir()
    looking = (
        "import json, service, worker\n"
        f"assert service.__file__.startswith({str(app)!r}), service.__file__\n"
        "from service.app import create_app\n"
        "from service.api.openapi import openapi_document\n"
        "from worker.app import create_celery\n"
        "app = create_app()\n"
        "create_celery(app.config['LAGUNA'])\n"
        "shown = {path: app.test_client().get(path).status_code for path in\n"
        "         ('/', '/healthz', '/reference', '/problems', '/sign-in', '/favicon.svg')}\n"
        "print(json.dumps([shown, openapi_document(app.config['LAGUNA'])]))\n"
    )
    clean = {name: value for name, value in os.environ.items() if name[:7] != "LAGUNA_"}
    own = {
        "PYTHONPATH": str(app),
        "LAGUNA_DATA": str(tmp_path / "data"),
        "LAGUNA_LOG_LEVEL": "error",
    }

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=app, env=clean | own, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "upgraded from None" in run("-m", "service.cli", "db", "upgrade")
    assert "processed" in run("-m", "service.cli", "work", "--once")
    shown, document = json.loads(run("-c", looking).splitlines()[-1])
    assert set(shown.values()) == {200}, shown
    here = settings_of("api", monkeypatch, tmp_path)
    assert document == json.loads(json.dumps(openapi_document(here))), "examples are part of it"


class Running:
    """The composition without containers: its commands, on servers of this run."""

    def __init__(self, home: Path, postgres: str, redis: str) -> None:
        self.port = str(free_port())
        self.metrics_ports: dict[str, str] = {}
        self.own = {
            "LAGUNA_METRICS_HOST": "127.0.0.1",
            "LAGUNA_DATABASE_URL": postgres,
            "LAGUNA_REDIS_URL": redis,
            "LAGUNA_HOST": "127.0.0.1",
            "LAGUNA_PORT": self.port,
            "LAGUNA_MAIL_IN": f"lmtp://127.0.0.1:{free_port()}",
        }
        self.home = home
        self.started: dict[str, subprocess.Popen[bytes]] = {}

    def environment(self, name: str) -> dict[str, str]:
        clean = {key: value for key, value in os.environ.items() if key[:7] != "LAGUNA_"}
        clean.pop("PROMETHEUS_MULTIPROC_DIR", None)
        given = {key: value for key, value in environment(name).items() if key[:7] == "LAGUNA_"}
        metrics = self.metrics_ports.setdefault(name, str(free_port()))
        own = self.own | {"LAGUNA_METRICS_PORT": metrics, "LAGUNA_DATA": str(self.home / name)}
        return clean | given | own

    def start(self, name: str) -> "subprocess.Popen[bytes]":
        with (self.home / f"{name}.log").open("wb") as log:
            self.started[name] = subprocess.Popen(
                [sys.executable, "-m", "service.cli", *SERVICES[name]["command"][1:]],
                cwd=ROOT,
                env=self.environment(name),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self.started[name]

    def healthy(self, name: str) -> bool:
        """Whether the health check of the service is content; the service must still run."""
        assert self.started[name].poll() is None, (self.home / f"{name}.log").read_text()
        words = [
            word.replace(":8000", f":{self.port}").replace(
                f":{METRICS_PORT}", f":{self.metrics_ports[name]}"
            )
            for word in SERVICES[name]["healthcheck"]["test"][1:]
        ]
        command = ["-m", "service.cli", *words[1:]] if words[0] == "laguna" else words[1:]
        done = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=self.environment(name),
            capture_output=True,
        )
        return done.returncode == 0


@pytest.mark.long
def test_the_whole_of_it_starts_becomes_healthy_and_ends(
    tmp_path: Path, fresh_postgres: str, fresh_redis: str
) -> None:
    running = Running(tmp_path, fresh_postgres, fresh_redis)
    try:
        assert running.start("migrate").wait(PATIENCE) == 0
        parts = [name for name in OURS if name not in WITHOUT_A_HOUSE]
        for name in parts:
            running.start(name)
        for name in parts:
            if "test" in SERVICES[name]["healthcheck"]:
                until(lambda name=name: running.healthy(name), f"{name} is well")  # type: ignore[misc]
        for name in parts:
            running.started[name].terminate()
        ends = {name: running.started[name].wait(PATIENCE) for name in parts}
        logs = {name: (tmp_path / f"{name}.log").read_text() for name in parts}
        assert ends == dict.fromkeys(parts, 0), logs
        for log in logs.values():
            assert "Traceback" not in log, log[log.find("Traceback") :]
    finally:
        for process in running.started.values():
            if process.poll() is None:
                kill_tree(psutil.Process(process.pid))
                process.wait()
