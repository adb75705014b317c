"""`comptoir`, or `comptoir serve`: the app in the browser."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
import webbrowser
from ipaddress import ip_network

from rich.console import Console

from comptoir.cli.arguments import seconds_or_none, share, whole_number
from comptoir.cli.database import add_database, claimed, database_url, read_secret
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs

EVERYWHERE = ("0.0.0.0", "::")
LOCAL = ("localhost", "127.0.0.1")
PORTS = 20  # tried after the usual one, when it is taken
USUAL_REVIEW_SHARE = 0.5


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help=words.say("cli.host"))
    parser.add_argument("--port", type=int, metavar="N", help=words.say("cli.port"))
    add_database(parser, words)
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help=words.say("cli.no_browser")
    )
    parser.add_argument(
        "--pace", type=seconds_or_none(words), default=0.7, metavar="S", help=words.say("cli.pace")
    )
    parser.add_argument(
        "--workers",
        type=whole_number(words, least=1),
        default=1,
        metavar="N",
        help=words.say("cli.server_workers"),
    )
    parser.add_argument("--allowed-hosts", metavar="NAME,…", help=words.say("cli.allowed_hosts"))
    parser.add_argument("--trusted-proxies", metavar="ADDRESS,…", help=words.say("cli.trusted_proxies"))
    parser.add_argument("--host-token-file", metavar="FILE", help=words.say("cli.host_token_file"))
    parser.add_argument("--mail-file", metavar="FILE", help=words.say("cli.mail_file"))
    parser.add_argument(
        "--review-share",
        type=share(words),
        default=None,
        metavar="SHARE",
        help=words.say("cli.review_share"),
    )
    parser.add_argument("--log", default="", metavar="LEVEL", help=words.say("cli.log"))


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app", otherwise="or play in the terminal: comptoir play GAME"):
        import uvicorn

        from comptoir.web.http import app
        from comptoir.web.ops import door, mail
        from comptoir.web.ops.store import Store

    url = database_url(options, words)
    store = Store(url)
    if options.workers > 1 and store.kind == "sqlite":
        raise OptionError(words.say("serve.one_process"))
    environment = {"COMPTOIR_DATABASE": url} | _environment(options, words)
    if environment["COMPTOIR_MAIL_FILE"]:
        mail.MailSettings.read(environment["COMPTOIR_MAIL_FILE"])  # what is wrong in it is said at once
    port = options.port or free_port(options.host, words)
    named = "localhost" if options.host in (*EVERYWHERE, "127.0.0.1", "::1") else options.host
    address = f"http://{named}:{port}/"
    with claimed(url, words, f", {address}"):
        store.migrate()
        store.close()
        os.environ |= environment
        _announce(Console(highlight=False, stderr=True), words, options.host, port, address)
        if options.browser and _has_screen():
            threading.Thread(target=_open_when_ready, args=(options.host, port, address), daemon=True).start()
        uvicorn.run(
            f"{app.__name__}:from_environment",
            factory=True,
            host=options.host,
            port=port,
            workers=options.workers,
            **door.uvicorn_settings(),
        )
    return 0


def _environment(options: argparse.Namespace, words: Words) -> dict[str, str]:
    """What the server's processes find in their environment; each flag can also be given there."""
    names = _names(_given(options.allowed_hosts, "COMPTOIR_ALLOWED_HOSTS") or "*", words)
    proxies = _addresses(_given(options.trusted_proxies, "COMPTOIR_TRUSTED_PROXIES"), words)
    token_file = _given(options.host_token_file, "COMPTOIR_HOST_TOKEN_FILE")
    return {
        "COMPTOIR_PACE": str(options.pace),
        "COMPTOIR_LOG": options.log,
        "COMPTOIR_REVIEW_SHARE": str(_review_share(options, words)),
        "COMPTOIR_ALLOWED_HOSTS": names,
        "COMPTOIR_TRUSTED_PROXIES": proxies,
        "COMPTOIR_MAIL_FILE": _given(options.mail_file, "COMPTOIR_MAIL_FILE"),
        "COMPTOIR_HOST_TOKEN": read_secret(token_file, words) if token_file else "",
    }


def _review_share(options: argparse.Namespace, words: Words) -> float:
    """The part of a processor's time that reviews may take, by the flag or the environment."""
    if options.review_share is not None:
        return float(options.review_share)
    given = os.environ.get("COMPTOIR_REVIEW_SHARE", "")
    try:
        return share(words)(given) if given else USUAL_REVIEW_SHARE
    except argparse.ArgumentTypeError as error:
        raise OptionError(f"COMPTOIR_REVIEW_SHARE: {error}") from None


def _given(flag: str | None, variable: str) -> str:
    return flag or os.environ.get(variable, "")


def _listed(text: str) -> list[str]:
    return [part.strip().lower() for part in text.split(",") if part.strip()]


def _names(hosts: str, words: Words) -> str:
    """The names that this server answers to, checked: a star stands only for the first part of one.

    To this machine's own names it always answers: what watches over it knows no others.
    """
    names = _listed(hosts)
    for name in names:
        if ("*" in name.removeprefix("*.") and name != "*") or ":" in name or "/" in name:
            raise OptionError(words.say("serve.bad_host", name=name))
    return "*" if "*" in names else ",".join(dict.fromkeys([*names, *LOCAL]))


def _addresses(proxies: str, words: Words) -> str:
    """The addresses and networks whose word is taken for where a request comes from."""
    addresses = _listed(proxies)
    for address in addresses:
        try:
            ip_network(address)
        except ValueError:
            raise OptionError(words.say("serve.bad_proxy", address=address)) from None
    return ",".join(addresses)


def _announce(console: Console, words: Words, host: str, port: int, address: str) -> None:
    console.print(words.say("serve.ready", address=address), style="bold")
    if host not in ("127.0.0.1", "localhost", "::1"):
        console.print(words.say("serve.exposed", address=f"http://{_lan_address()}:{port}/"), style="yellow")
    console.print(words.say("serve.stop"), style="dim")


def free_port(host: str, words: Words, usual: int = 8420) -> int:
    """The usual port, or the next that nobody listens on."""
    for port in range(usual, usual + PORTS):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except PermissionError:
                continue
            except OSError as error:
                if error.errno in (98, 48, 10048):  # taken, as the systems say it
                    continue
                refusal = words.say("serve.cannot_listen", host=host, reason=error.strerror or str(error))
                raise OptionError(refusal) from None
            return port
    raise OptionError(words.say("serve.no_port", first=usual, last=usual + PORTS - 1))


def _lan_address() -> str:
    """How others in the network reach this machine. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _open_when_ready(host: str, port: int, address: str) -> None:
    """Opens the page once it can be served."""
    target = "127.0.0.1" if host in EVERYWHERE else host
    for _ in range(200):
        try:
            socket.create_connection((target, port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            webbrowser.open(address)
            return
