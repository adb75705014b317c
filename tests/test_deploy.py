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
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from comptoir.cli import parser
from comptoir.cli.arguments import cli_words
from comptoir.cli.environment import COMMANDS, variable
from comptoir.engine.words import language
from tests.scripts import script

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
HOST_PAGE = (ROOT / "docs/host.md").read_text(encoding="utf-8")


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


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def test_the_compose_file_hangs_together() -> None:
    services = compose()["services"]
    assert set(services) == {"app", "bots", "database", "caddy"}
    for service in services.values():
        assert set(service.get("secrets", ())) <= set(compose()["secrets"])
        assert set(service["networks"]) <= set(compose()["networks"])
        named = {volume.partition(":")[0] for volume in service["volumes"]}
        assert {name for name in named if "/" not in name} <= set(compose()["volumes"])
        assert all((DEPLOY / name).exists() for name in named if name.startswith("./"))
        assert service["restart"] == "unless-stopped"
    assert "ports" not in services["app"]
    assert "ports" not in services["database"]
    assert "ports" not in services["bots"]


def test_the_app_in_it_is_told_what_it_understands() -> None:
    app = compose()["services"]["app"]
    given = understood(
        [part.replace("${COMPTOIR_NAME:?name the server in .env}", "a.example") for part in app["command"]]
    )
    assert given.command == "serve"
    assert {given.database_file, given.host_token_file} == {f"/run/secrets/{name}" for name in app["secrets"]}
    bots = compose()["services"]["bots"]
    assert understood(bots["command"]).command == "bots-worker"
    assert [understood(bots["command"]).database_file] == [f"/run/secrets/{name}" for name in bots["secrets"]]
    [network] = compose()["networks"]["inside"]["ipam"]["config"]
    caddy = compose()["services"]["caddy"]["networks"]["inside"]["ipv4_address"]
    assert given.trusted_proxies == caddy
    assert ip_address(caddy) in ip_network(network["subnet"])
    assert compose()["services"]["caddy"]["environment"]["COMPTOIR_UPSTREAM"] == f"app:{given.port}"
    assert f"EXPOSE {given.port}" in (ROOT / "Dockerfile").read_text()


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


def test_the_unit_starts_what_is_installed() -> None:
    [start] = unit("comptoir.service")["ExecStart"]
    program, *arguments = shlex.split(start)
    assert program == "/opt/comptoir/bin/comptoir"
    assert understood(arguments).port == 8420
    [backup] = unit("comptoir-backup.service")["ExecStart"]
    shell = shlex.split(backup)[2]
    assert understood(shlex.split(shell.removeprefix("exec /opt/comptoir/bin/comptoir "))).force
    hardened = unit("comptoir.service")
    assert hardened["User"] == ["comptoir"]
    assert hardened["NoNewPrivileges"] == ["yes"]
    assert hardened["ProtectSystem"] == ["strict"]


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
    lines = re.findall(r"(?:^|[/`])comptoir ((?:serve|backup|restore) [^\n`#]+)", HOST_PAGE, re.MULTILINE)
    commands = [shlex.split(line) for line in lines]
    assert {command[0] for command in commands} == {"serve", "backup", "restore"}
    for command in commands:
        understood(command)


def test_every_flag_of_the_server_is_on_the_page() -> None:
    for command in ("serve", "backup", "restore"):
        for flag in flags(command) - {"--help", "--lang"}:
            assert f"`{flag}" in HOST_PAGE, f"{command} {flag}"


def test_every_variable_that_hosts_set_is_read() -> None:
    named = set(re.findall(r"COMPTOIR_[A-Z_]+", HOST_PAGE))
    for file in (*DEPLOY.iterdir(), ROOT / "Dockerfile"):
        if file.is_file():
            named |= set(re.findall(r"COMPTOIR_[A-Z_]+", file.read_text(encoding="utf-8")))
    read = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/comptoir").rglob("*.py"))
    options = {variable(command, flag) for command in COMMANDS for flag in flags(command)}
    assert {name for name in named - options if name not in read} == {"COMPTOIR_NAME", "COMPTOIR_UPSTREAM"}, (
        "those are Caddy's"
    )
    caddy = (DEPLOY / "Caddyfile").read_text()
    assert "{$COMPTOIR_NAME:" in caddy
    assert "{$COMPTOIR_UPSTREAM:" in caddy


# What is installed


LOCK = script("lock.py")


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
