"""What hosts copy fits the program: commands, flags and variables in deploy/, the Dockerfile and docs/host.md; pinned
packages; licences.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from importlib.metadata import distribution, requires
from ipaddress import IPv4Network, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from prometheus_client import generate_latest

from comptoir.cli import parser
from comptoir.cli.arguments import cli_words
from comptoir.cli.environment import COMMANDS, variable
from comptoir.engine.words import language
from comptoir.web.ops import monitoring
from tests.scripts import script

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
HOST_PAGE = "".join(
    (ROOT / "docs" / page).read_text(encoding="utf-8")
    for page in ("host.md", "configuration.md", "privacy.md")
)
HOST_PROSE = " ".join(HOST_PAGE.split())  # without line breaks


def understood(arguments: list[str]) -> Any:
    """What our command makes of its arguments; what it does not know, it refuses."""
    return parser(arguments, cli_words(None, language("en"))).parse_args(arguments)


def flags(command: str) -> set[str]:
    """All flags of a command."""
    top = parser([command], cli_words(None, language("en")))
    [commands] = [action for action in top._actions if action.dest == "command"]
    assert commands.choices is not None
    made = dict(commands.choices)[command]
    return {flag for action in made._actions for flag in action.option_strings if flag.startswith("--")}


# The container

PLANNED = 1_200  # MB that docs/server.md plans for a process
UNITS = {"m": 1, "g": 1_000}


def compose(file: str = "compose.yaml") -> dict[str, Any]:
    """The file as compose reads it with a .env that only names the server."""
    text = (DEPLOY / file).read_text(encoding="utf-8")
    text = re.sub(r"\$\{COMPTOIR_NAME:\?[^}]+\}", "a.example", text)
    found: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text))
    return found


def megabytes(limit: str) -> int:
    return int(limit[:-1]) * UNITS[limit[-1]]


def test_the_compose_file_hangs_together() -> None:
    services = compose()["services"]
    assert set(services) == {"app", "bots", "backup", "database", "caddy"}
    for service in services.values():
        assert set(service.get("secrets", ())) <= set(compose()["secrets"])
        assert set(service["networks"]) <= set(compose()["networks"])
        named = {volume.partition(":")[0] for volume in service["volumes"]}
        assert {name for name in named if "/" not in name} <= set(compose()["volumes"])
        assert all((DEPLOY / name).exists() for name in named if name.startswith("./"))
        assert service["restart"] == "unless-stopped"
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "3"}
        assert ("ports" in service) == (service is services["caddy"])


def test_the_app_in_it_is_told_what_it_understands() -> None:
    app = compose()["services"]["app"]
    given = understood(app["command"])
    assert given.command == "serve"
    assert {given.database_file, given.admin_token_file} == {
        f"/run/secrets/{name}" for name in app["secrets"]
    }
    bots = compose()["services"]["bots"]
    assert understood(bots["command"]).command == "bots-worker"
    assert [understood(bots["command"]).database_file] == [f"/run/secrets/{name}" for name in bots["secrets"]]
    assert compose()["services"]["caddy"]["environment"]["COMPTOIR_UPSTREAM"] == f"app:{given.port}"
    assert f"EXPOSE {given.port}" in (ROOT / "Dockerfile").read_text()


def test_only_the_app_reaches_out_and_caddy_keeps_its_address() -> None:
    services, networks = compose()["services"], compose()["networks"]
    assert networks["inside"]["internal"] is True
    ways_out = {name for name, network in networks.items() if not (network or {}).get("internal")}
    assert {name: set(service["networks"]) & ways_out for name, service in services.items()} == {
        "app": {"outside"},
        "bots": set(),
        "backup": set(),
        "database": set(),
        "caddy": {"front"},
    }
    caddy = services["caddy"]["networks"]["inside"]["ipv4_address"]
    assert understood(services["app"]["command"]).trusted_proxies == caddy
    shared = set(services["app"]["networks"]) & set(services["caddy"]["networks"])
    assert shared == {"inside"}, "else Caddy could come from another address than the trusted one"
    [config] = networks["inside"]["ipam"]["config"]
    assert ip_address(caddy) in ip_network(config["subnet"])
    assert IPv4Network(config["ip_range"]).subnet_of(IPv4Network(config["subnet"]))
    assert ip_address(caddy) not in ip_network(config["ip_range"])


def test_the_memory_limits_add_up() -> None:
    services = compose()["services"]
    workers = understood(services["app"]["command"]).workers
    assert megabytes(services["app"]["mem_limit"]) >= workers * PLANNED
    assert sum(megabytes(service["mem_limit"]) for service in services.values()) <= 3_800, "of 4 GB"
    for_two = re.search(r"COMPTOIR_MEMORY=(\w+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    assert for_two is not None
    assert megabytes(for_two[1]) >= 2 * PLANNED
    assert "1.2 GB per process" in HOST_PROSE
    unit_limits = [unit("comptoir.service")["MemoryMax"], unit("comptoir-bots.service")["MemoryMax"]]
    assert unit_limits == [["2G"], ["1G"]]


def test_backups_in_it_are_made_by_the_same_image() -> None:
    backup = compose()["services"]["backup"]
    shell, flag, loop = backup["entrypoint"]
    assert (shell, flag) == ("sh", "-c")
    [command] = re.findall(r"comptoir (backup [^;]+);", loop)
    given = understood(shlex.split(command))
    assert given.keep == 14
    assert f"backups:{given.file}" in backup["volumes"]
    assert backup["environment"]["COMPTOIR_DATABASE_FILE"] == "/run/secrets/database"
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f"/data {given.file}\n" in dockerfile, "owned by the user of the image"
    [client] = re.findall(r"postgresql-client-(\d+)", dockerfile)
    assert compose()["services"]["database"]["image"] == f"postgres:{client}", "an older pg_dump refuses"
    assert len(set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))) == 1


def test_mail_is_an_addition() -> None:
    added = compose("compose.mail.yaml")
    app = added["services"]["app"]
    assert set(app["secrets"]) == set(added["secrets"])
    assert app["environment"] == {"COMPTOIR_SMTP_CONFIG": "/run/secrets/mail"}
    assert "COMPOSE_FILE=compose.yaml:compose.mail.yaml" in HOST_PAGE


def test_the_image_is_made_of_what_is_there_and_runs_as_nobody_special() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert name in let_in
    pinned = re.findall(r"-r (requirements/\S+)", text)
    assert sorted(pinned) == ["requirements/app.txt", "requirements/build.txt"]
    assert text.count("--require-hashes") == len(pinned)
    entry, command = map(json.loads, re.findall(r"^(?:ENTRYPOINT|CMD) (.+)$", text, re.MULTILINE))
    assert entry == ["comptoir"]
    assert understood(command).host == "0.0.0.0"
    last = text[text.rindex("FROM ") :]
    assert re.search(r"^USER comptoir$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert "VOLUME /data" in last


# systemd


def unit(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / name).read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


SERVICES = {file.name for file in DEPLOY.glob("*.service")}


def test_the_units_start_what_is_installed() -> None:
    assert SERVICES == {"comptoir.service", "comptoir-bots.service", "comptoir-backup.service"}
    started = {}
    for name in SERVICES:
        [start] = unit(name)["ExecStart"]
        program, *arguments = shlex.split(start)
        assert program == "/opt/comptoir/bin/comptoir"
        given = started[name] = understood(arguments)
        assert not getattr(given, "database", None), "all of them use the database of comptoir.env"
        assert unit(name)["EnvironmentFile"][0].removeprefix("-") == "/etc/comptoir/comptoir.env"
    assert started["comptoir.service"].port == 8420
    assert started["comptoir-bots.service"].command == "bots-worker"
    backup = started["comptoir-backup.service"]
    assert backup.keep == 7
    assert f"/var/lib/{unit('comptoir-backup.service')['StateDirectory'][0].split()[1]}" == str(backup.file)


def test_a_server_is_always_started_again() -> None:
    for name in ("comptoir.service", "comptoir-bots.service"):
        assert unit(name)["Restart"] == ["always"]
        assert unit(name)["StartLimitIntervalSec"] == ["0"], "however often it fails"


def test_all_units_are_hardened_alike() -> None:
    """From NoNewPrivileges on, which is the first such line."""

    def hardening(name: str) -> list[str]:
        lines = (DEPLOY / name).read_text(encoding="utf-8").splitlines()
        start = lines.index("NoNewPrivileges=yes")
        return lines[start : lines.index("SystemCallErrorNumber=EPERM", start) + 1]

    for name in SERVICES:
        assert hardening(name) == hardening("comptoir.service")
        assert (unit(name)["User"], unit(name)["UMask"]) == (["comptoir"], ["0077"])
    assert {"ProtectSystem=strict", "PrivateTmp=yes"} < set(hardening("comptoir.service"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("name", sorted(SERVICES))
def test_systemd_rates_the_units_well(name: str) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(DEPLOY / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-300:]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for file in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")):
        here = file.read_text(encoding="utf-8").replace("/opt/comptoir/bin/comptoir", "/bin/true")
        (tmp_path / file.name).write_text(here, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if str(tmp_path) in line]) == (0, [])


# The page


def test_every_command_on_the_page_is_understood() -> None:
    names = "serve|bots-worker|backup|restore"
    lines = re.findall(
        rf"(?:^|[/`]|--entrypoint )comptoir(?: backup)? ((?:{names}) [^\n`#]+)", HOST_PAGE, re.MULTILINE
    )
    commands = [shlex.split(line) for line in lines]
    assert {command[0] for command in commands} == {"serve", "bots-worker", "backup", "restore"}
    for command in commands:
        understood(command)


def test_every_flag_of_the_server_is_on_the_page() -> None:
    for command in ("serve", "bots-worker", "backup", "restore"):
        for flag in flags(command) - {"--help", "--lang"}:
            assert f"`{flag}" in HOST_PAGE, f"{command} {flag}"


def test_every_variable_that_hosts_set_is_read() -> None:
    named = set(re.findall(r"COMPTOIR_[A-Z_]+", HOST_PAGE))
    for file in (*DEPLOY.iterdir(), ROOT / "Dockerfile"):
        if file.is_file():
            named |= set(re.findall(r"COMPTOIR_[A-Z_]+", file.read_text(encoding="utf-8")))
    read = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/comptoir").rglob("*.py"))
    options = {variable(command, flag) for command in COMMANDS for flag in flags(command)}
    others = {name for name in named - options if name not in read}
    assert others == {"COMPTOIR_NAME", "COMPTOIR_UPSTREAM", "COMPTOIR_MEMORY"}, (
        "those are Caddy's and compose's"
    )
    caddy = (DEPLOY / "Caddyfile").read_text()
    assert "{$COMPTOIR_NAME:" in caddy
    assert "{$COMPTOIR_UPSTREAM:" in caddy


# Monitoring


def test_prometheus_watches_metrics_that_exist() -> None:
    read = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
    assert read["rule_files"] == ["alerts.yml"]
    jobs = {job["job_name"] for job in read["scrape_configs"]}
    [group] = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    assert len(group["rules"]) == 4
    known = generate_latest(monitoring.registry).decode()
    for rule in group["rules"]:
        assert set(re.findall(r'job="(\w+)"', rule["expr"])) <= jobs
        metrics = set(re.findall(r"\b(?:comptoir|process|node)_\w+", rule["expr"])) | (
            {"up"} & set(re.findall(r"\w+", rule["expr"]))
        )
        assert metrics, rule["alert"]
        for metric in metrics:
            assert metric.startswith("node_") or metric == "up" or f"\n{metric}" in known, metric


# What is installed


LOCK = script("tools/lock.py")


def needed(names: list[str]) -> set[str]:
    """All packages that come with these here, by their own metadata."""
    found: set[str] = set()
    listed = (Requirement(name) for name in names)
    asked = [one for one in listed if one.marker is None or one.marker.evaluate()]
    while asked:
        one = asked.pop()
        if LOCK.plain(one.name) in found and not one.extras:
            continue
        found.add(LOCK.plain(one.name))
        for text in requires(one.name) or ():
            needs = Requirement(text)
            extras = one.extras or {""}
            if needs.marker is None or any(needs.marker.evaluate({"extra": extra}) for extra in extras):
                asked.append(needs)
    return found


@pytest.mark.parametrize("file", ["app", "build"])
def test_pins_with_hashes_are_those_of_the_constraints(file: str) -> None:
    text = (ROOT / f"requirements/{file}.txt").read_text(encoding="utf-8")
    pinned, constraints = LOCK.pins(text), LOCK.pins((ROOT / "constraints.txt").read_text())
    assert pinned == {name: constraints[name] for name in pinned}, "run: make lock"
    entries = re.split(r"\n(?=[a-z])", text[text.index("\n", text.rindex("# ")) + 1 :])
    assert len(entries) == len(pinned)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert "://" not in text


def test_all_that_the_app_needs_is_pinned_and_its_licence_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = needed([*project["dependencies"], *extras["app"], *extras["postgres"]])
    assert asked == set(LOCK.pins((ROOT / "requirements/app.txt").read_text())), "run: make lock"
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| (\S+) \| \S+ \| (.+) \|$", page, re.MULTILINE))
    assert asked <= set(listed)
    assert all(LOCK.licence(distribution(name)) == listed[name] for name in asked), "run: make lock"
    assert needed(["hatchling"]) == set(LOCK.pins((ROOT / "requirements/build.txt").read_text()))


def test_known_weaknesses_are_looked_for() -> None:
    steps = yaml.safe_load((ROOT / ".github/workflows/audit.yml").read_text(encoding="utf-8"))
    text = json.dumps(steps)
    assert "pip-audit" in text
    assert "npm audit" in text
    for file in re.findall(r"requirements/\w+\.txt", text):
        assert (ROOT / file).exists()
