"""`comptoir`, or `comptoir serve`: the app in the browser."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
import webbrowser

from rich.console import Console

from comptoir.engine.words import Words
from comptoir.errors import OptionError

EVERYWHERE = ("0.0.0.0", "::")
PORTS = 20  # tried after the usual one, when it is taken


def run(options: argparse.Namespace, words: Words) -> int:
    import uvicorn

    from comptoir.web.store import Store, default_url

    console = Console(highlight=False, stderr=True)
    url = options.database or default_url()
    if options.workers < 1 or options.pace < 0:
        raise OptionError("workers: expected 1 or more" if options.workers < 1 else "pace: expected 0 seconds or more")
    store = Store(url)
    if options.workers > 1 and store.kind == "sqlite":
        raise OptionError("workers: several processes need PostgreSQL; give --database postgresql://…")
    store.migrate()
    store.close()
    port = options.port or free_port(options.host)
    address = f"http://{'localhost' if options.host in (*EVERYWHERE, '127.0.0.1', '::1') else options.host}:{port}/"
    os.environ |= {"COMPTOIR_DATABASE": url, "COMPTOIR_PACE": str(options.pace), "COMPTOIR_LOG": options.log}
    _announce(console, words, options.host, port, address)
    if options.browser and _has_screen():
        threading.Thread(target=_open_when_ready, args=(options.host, port, address), daemon=True).start()
    uvicorn.run(
        "comptoir.web.app:from_environment",
        factory=True,
        host=options.host,
        port=port,
        workers=options.workers,
        log_config=None,
        access_log=False,
        ws_max_size=8_192,
        ws_per_message_deflate=False,  # only what has changed is sent: that is short already, and squeezing it costs more than making it
        ws_ping_interval=None,  # the page pings by itself, so that it knows when it is cut off
        server_header=False,
        forwarded_allow_ips=options.proxy,
        timeout_graceful_shutdown=3,
    )
    return 0


def _announce(console: Console, words: Words, host: str, port: int, address: str) -> None:
    console.print(words.say("serve.ready", address=address), style="bold")
    if host not in ("127.0.0.1", "localhost", "::1"):
        console.print(words.say("serve.exposed", address=f"http://{_lan_address()}:{port}/"), style="yellow")
    console.print(words.say("serve.stop"), style="dim")


def free_port(host: str, usual: int = 8420) -> int:
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
                raise OptionError(f"host: cannot listen on {host}: {error.strerror}") from None
            return port
    raise OptionError(f"port: {usual} to {usual + PORTS - 1} are all taken; choose one with --port")


def _lan_address() -> str:
    """How others in the network reach this machine. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def _has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


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
