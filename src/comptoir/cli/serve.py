"""`comptoir`, or `comptoir serve`: the app in the browser.

It ends with 0 when it was asked to (SIGTERM, SIGINT), with 1 when it could not serve, and with 2 when what it
was told is wrong: a sentence says so then, and nothing was started.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
import webbrowser
from ipaddress import ip_network
from typing import TYPE_CHECKING

from rich.console import Console

from comptoir.cli.arguments import int_at_least, one_of, port_number, seconds_or_none, share
from comptoir.cli.database_options import add_database, given_database, locked_database, read_secret
from comptoir.cli.listening import bound
from comptoir.engine.words import Words
from comptoir.errors import OptionError
from comptoir.extras import needs

if TYPE_CHECKING:
    from comptoir.web.ops.settings import ServerSettings

WILDCARD_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104  to compare with
LOCAL = ("localhost", "127.0.0.1")
LOG_LEVELS = ("info", "debug")


def arguments(parser: argparse.ArgumentParser, words: Words, game_named: str | None) -> None:
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help=words.say("cli.host"))
    parser.add_argument("--port", type=port_number(words), metavar="N", help=words.say("cli.port"))
    add_database(parser, words)
    parser.add_argument(
        "--no-browser", dest="browser", action="store_false", help=words.say("cli.no_browser")
    )
    parser.add_argument(
        "--bot-delay", type=seconds_or_none(words), default=0.7, metavar="S", help=words.say("cli.bot_delay")
    )
    parser.add_argument(
        "--workers",
        type=int_at_least(words, least=1),
        default=1,
        metavar="N",
        help=words.say("cli.server_workers"),
    )
    parser.add_argument("--allowed-hosts", metavar="NAME,…", help=words.say("cli.allowed_hosts"))
    parser.add_argument("--trusted-proxies", metavar="ADDRESS,…", help=words.say("cli.trusted_proxies"))
    parser.add_argument("--admin-token-file", metavar="FILE", help=words.say("cli.admin_token_file"))
    parser.add_argument("--smtp-config", metavar="FILE", help=words.say("cli.smtp_config"))
    parser.add_argument(
        "--review-cpu",
        type=share(words),
        default=0.5,
        metavar="SHARE",
        help=words.say("cli.review_cpu"),
    )
    parser.add_argument("--log", type=one_of(words, LOG_LEVELS), metavar="LEVEL", help=words.say("cli.log"))


def run(options: argparse.Namespace, words: Words) -> int:
    with needs("app", otherwise="or play in the terminal: comptoir play GAME"):
        import uvicorn  # noqa: F401 - an extra brings it

        from comptoir.web.ops import mail, monitoring
        from comptoir.web.ops.settings import forget_secrets
        from comptoir.web.storage.store import Store

    settings = _settings(options, words)
    forget_secrets()
    url = settings.database_url()
    store = Store(url)
    if options.workers > 1 and store.kind == "sqlite":
        raise OptionError(words.say("serve.one_process"))
    if settings.smtp_config:
        mail.MailSettings.read(settings.smtp_config)  # what is wrong in it is said at once
    with locked_database(url, words) as lock:
        sockets = bound(options.host, options.port, words)
        port = sockets[0].getsockname()[1]
        named = "localhost" if options.host in (*WILDCARD_ADDRESSES, "127.0.0.1", "::1") else options.host
        address = f"http://{named}:{port}/"
        if lock is not None:
            lock.add_note(f", {address}")
        store.migrate()
        store.close()
        _announce(Console(highlight=False, stderr=True), words, options.host, port, address)
        if options.browser and _has_screen():
            threading.Thread(target=_open_when_ready, args=(options.host, port, address), daemon=True).start()
        monitoring.start_log(settings.log)
        if options.workers > 1:
            from comptoir.web.http.worker_process import work
            from comptoir.web.ops.supervisor import Supervisor

            return Supervisor(settings, sockets, options.workers, work).run()
        from comptoir.web.http.serving import serve

        return 0 if serve(settings, store, sockets) else 1


def _settings(options: argparse.Namespace, words: Words) -> ServerSettings:
    """The settings of the processes that serve."""
    from comptoir.web.ops.settings import ServerSettings, limits_apply, may_push_to_private

    database, file = given_database(options, words)
    if options.admin_token_file:
        read_secret(options.admin_token_file, words)  # what is wrong with it is said at once
    return ServerSettings(
        database=database,
        database_file=file,
        bot_delay=options.bot_delay,
        log=options.log or "",
        hosts=_names(options.allowed_hosts or "*", words),
        proxies=_addresses(options.trusted_proxies or "", words),
        admin_token_file=options.admin_token_file or "",
        smtp_config=options.smtp_config or "",
        review_cpu=options.review_cpu,
        limits=limits_apply(),
        push_allow_private=may_push_to_private(),
    )


def _listed(text: str) -> list[str]:
    return [part.strip().lower() for part in text.split(",") if part.strip()]


def _names(hosts: str, words: Words) -> tuple[str, ...]:
    """The names that this server answers to, checked: a star stands only for the first part of one.

    To this machine's own names it always answers: what watches over it knows no others.
    """
    names = _listed(hosts)
    for name in names:
        if ("*" in name.removeprefix("*.") and name != "*") or ":" in name or "/" in name:
            raise OptionError(words.say("serve.bad_host", name=name))
    return ("*",) if "*" in names else tuple(dict.fromkeys([*names, *LOCAL]))


def _addresses(proxies: str, words: Words) -> tuple[str, ...]:
    """The addresses and networks whose word is taken for where a request comes from."""
    addresses = _listed(proxies)
    for address in addresses:
        try:
            ip_network(address)
        except ValueError:
            raise OptionError(words.say("serve.bad_proxy", address=address)) from None
    return tuple(addresses)


def _announce(console: Console, words: Words, host: str, port: int, address: str) -> None:
    console.print(words.say("serve.ready", address=address), style="bold")
    if host not in ("127.0.0.1", "localhost", "::1"):
        console.print(words.say("serve.exposed", address=f"http://{_lan_address()}:{port}/"), style="yellow")
    console.print(words.say("serve.stop"), style="dim")


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
    target = "127.0.0.1" if host in WILDCARD_ADDRESSES else host
    for _ in range(200):
        try:
            socket.create_connection((target, port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            webbrowser.open(address)
            return
