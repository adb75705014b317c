"""The port that a server listens on: a free one, or a sentence that says who has it."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from pathlib import Path

from comptoir.engine.words import Words
from comptoir.errors import OptionError

DEFAULT_PORT = 8420
PORTS = 20  # tried from the usual one on, when it is taken
TAKEN = (errno.EADDRINUSE, 10048)  # 10048: Windows
LISTENS = "0A"  # the state of a socket in /proc/net/tcp


def bound(host: str, port: int | None, words: Words) -> list[socket.socket]:
    """Sockets bound to the port, one per address of the host; without a port, to the first that is free."""
    for attempt in [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + PORTS):
        try:
            return _bind(host, attempt)
        except OSError as error:
            if port is None and (error.errno in TAKEN or isinstance(error, PermissionError)):
                continue
            raise OptionError(_refusal(error, host, attempt, words)) from None
    raise OptionError(words.say("serve.no_port", first=DEFAULT_PORT, last=DEFAULT_PORT + PORTS - 1))


def _bind(host: str, port: int) -> list[socket.socket]:
    """As asyncio does; but that :: means every address, of IPv4 too."""
    made: list[socket.socket] = []
    kind = socket.SOCK_STREAM
    found = socket.getaddrinfo(host, port, type=kind, flags=socket.AI_PASSIVE)
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind)
            made.append(one)
            if os.name == "posix":
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6 and host != "::":
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address[0], port, *address[2:]))
            port = one.getsockname()[1]
    except OSError:
        for one in made:
            one.close()
        raise
    return made


def _refusal(error: OSError, host: str, port: int, words: Words) -> str:
    if error.errno not in TAKEN:
        reason = error.strerror or str(error)
        return words.say("serve.cannot_listen", host=f"{host}:{port}", reason=reason)
    holder = holder_of(port)
    if holder is None:
        return words.say("serve.port_taken", port=port)
    return words.say("serve.port_taken_by", port=port, pid=holder[0], name=holder[1])


def holder_of(port: int) -> tuple[int, str] | None:
    """The process that listens on a port, and its name; None if it is another user's, or not on Linux."""
    sockets = {f"socket:[{inode}]" for inode in _listening(port)}
    if not sockets:
        return None
    holders = {pid for pid in _processes() if sockets & _open_files(pid)}
    first = [pid for pid in sorted(holders) if _parent(pid) not in holders]  # workers share their parent's
    if not first:
        return None
    with suppress(OSError):
        return first[0], Path(f"/proc/{first[0]}/comm").read_text(encoding="utf-8").strip()
    return first[0], "?"


def _listening(port: int) -> set[str]:
    """The inodes of sockets that listen on a port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                columns = line.split()
                if columns[3] == LISTENS and int(columns[1].rpartition(":")[2], 16) == port:
                    found.add(columns[9])
    return found


def _processes() -> list[int]:
    return [int(found.name) for found in Path("/proc").iterdir() if found.name.isdecimal()]


def _open_files(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(str(file.readlink()))
    return found


def _parent(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return 0
