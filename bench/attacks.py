"""All attacks, and what another visitor feels of each, next to a quiet run of the same minute.

    python bench/attacks.py                          one process on SQLite
    python bench/attacks.py --stack                  PostgreSQL, two workers, bots' worker, behind Caddy
    python bench/attacks.py --only ping,cookie --seconds 6
    python bench/attacks.py --list

The visitor plays at a quiet table over a socket, from an address of their own; the attackers come from other
addresses of the loopback network, on the same machine, so that their own work is felt too. An attack passes if
the visitor's p99 under it is below 300 ms, or below twice that of the quiet run, whichever is higher. Prints a
table in Markdown. The exit code is 1 if any attack does not pass.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.attack.attacks import ATTACKS, BROKEN, Attack, request
from tests.attack.stack import Stack
from tests.attack.target import Target, Visit
from tests.web.fakes import mail_server

P99 = 0.3  # seconds that a visitor's p99 may reach in any case
PREPARING = 180.0  # seconds that an attack may take to prepare
SETTLING = 90.0  # seconds to wait at most until a server answers at once again
AT_ONCE = 1.0


class StackTarget(Target):
    """The whole stack, attacked through Caddy."""

    def __init__(self, folder: Path, stack: Stack) -> None:
        super().__init__(folder)
        self.database, self.port, self.url = stack.database.url, stack.port, stack.url
        self.processes = stack.workers


@dataclass(frozen=True)
class Line:
    """One row of the table; times in milliseconds."""

    attack: str
    finding: str
    quiet_moves: int
    quiet_p50: float
    quiet_p99: float
    moves: int
    p50: float
    p99: float
    worst: float
    passes: bool
    what: str

    @classmethod
    def of(cls, attack: Attack, quiet: Visit, under: Visit, what: str) -> Line:
        return cls(
            attack=attack.name,
            finding=attack.finding,
            quiet_moves=len(quiet.times),
            quiet_p50=_ms(quiet.p50),
            quiet_p99=_ms(quiet.p99),
            moves=len(under.times),
            p50=_ms(under.p50),
            p99=_ms(under.p99),
            worst=_ms(under.worst),
            passes=under.p99 < max(P99, 2 * quiet.p99) and bool(under.times),
            what=what,
        )

    def markdown(self) -> str:
        cells = [
            self.attack,
            f"{self.quiet_moves}",
            f"{self.quiet_p50:.0f} / {self.quiet_p99:.0f}",
            f"{self.moves}",
            f"{self.p50:.0f} / {self.p99:.0f}",
            "yes" if self.passes else "**no**",
            self.what.replace("|", "\\|"),
        ]
        return f"| {' | '.join(cells)} |"


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


HEAD = (
    "| attack | quiet: moves | p50 / p99 ms | attacked: moves | p50 / p99 ms | passes | what came of it |\n"
    "|---|---|---|---|---|---|---|"
)


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


async def measure(target: Target, attack: Attack, seconds: float) -> Line:
    """A quiet run, then the attack, each of these seconds; what is prepared before is not measured."""
    running = attack.run(target, seconds)
    try:
        async with asyncio.timeout(PREPARING):
            await anext(running)
        with target.visited() as quiet:
            await asyncio.sleep(seconds)
        what = ""
        with target.visited() as under:
            try:
                async with asyncio.timeout(3 * seconds + 20):
                    what = await anext(running)
            except BROKEN as error:
                what = f"ended with {type(error).__name__}"
        return Line.of(attack, quiet, under, what)
    finally:
        with contextlib.suppress(*BROKEN):
            await running.aclose()


def settle(target: Target) -> float:
    """Waits until the server answers at once, three times; how long that was."""
    began, good = time.monotonic(), 0
    while good < 3 and time.monotonic() < began + SETTLING:
        asked = time.monotonic()
        good = good + 1 if _answers(target) and time.monotonic() - asked < AT_ONCE else 0
        time.sleep(0.1)
    return time.monotonic() - began


def _answers(target: Target) -> bool:
    """By a bare socket: an HTTP client takes a while to be made."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", target.port), 5) as line:
        line.settimeout(5)
        line.sendall(request("GET", "/health", Connection="close"))
        return b" 200 " in line.recv(100)
    return False


@contextmanager
def one_process(folder: Path, environment: dict[str, str]) -> Iterator[Target]:
    target = Target(folder)
    target.start(COMPTOIR_COMPILED_BOTS="1", **environment)
    try:
        yield target
    finally:
        target.stop()


@contextmanager
def whole_stack(folder: Path, environment: dict[str, str]) -> Iterator[Target]:
    with Stack(bot_delay=0.7, environment=environment, say=say) as stack:
        target = StackTarget(folder, stack)
        try:
            yield target
        finally:
            target.stop()  # the visitor


def run(options: argparse.Namespace, chosen: list[Attack]) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as name, mail_server() as (_, port):
        folder = Path(name)
        mail = folder / "mail.toml"
        mail.write_text(
            f'host = "127.0.0.1"\nport = {port}\nsecurity = "none"\n'
            'from = "table@play.example.org"\nurl = "https://play.example.org"\n'
        )
        environment = {"COMPTOIR_PUSH_ALLOW_PRIVATE": "on", "COMPTOIR_SMTP_CONFIG": str(mail)}
        with (whole_stack if options.stack else one_process)(folder, environment) as target:
            for nth, attack in enumerate(chosen):
                waited = settle(target)
                if waited > 5:
                    say(f"the server needed {waited:.0f} s until it answered at once again")
                try:
                    line = asyncio.run(measure(target, attack, options.seconds))
                except Exception as error:  # one that cannot be made says so; the others go on
                    say(f"{nth + 1}/{len(chosen)} {attack.name}: could not be made: {error!r}")
                    lines.append(failed(attack, error))
                    continue
                lines.append(line)
                say(f"{nth + 1}/{len(chosen)} {line.markdown()}")
    return lines


def failed(attack: Attack, error: Exception) -> Line:
    return Line(
        attack.name, attack.finding, 0, 0, 0, 0, 0, 0, 0, False, f"could not be made: {error!r}"[:200]
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stack", action="store_true", help="attack the whole stack through Caddy")
    parser.add_argument(
        "--only", metavar="NAME,…", help="only attacks whose names contain one of these, such as ping"
    )
    parser.add_argument(
        "--seconds", type=float, default=8.0, metavar="N", help="length of each run, at most 10 (8)"
    )
    parser.add_argument("--list", action="store_true", help="name all attacks and stop")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    if not 1 <= options.seconds <= 10:
        parser.error("--seconds: expected 1 to 10")
    wanted = [name.strip().lower() for name in (options.only or "").split(",") if name.strip()]
    chosen = [
        one for one in ATTACKS.values() if not wanted or any(name in one.name.lower() for name in wanted)
    ]
    if options.list:
        print("\n".join(f"{one.name} ({one.finding})" for one in ATTACKS.values()))
        return 0
    if not chosen:
        parser.error("--only: no attack has such a name; --list names them")
    # what may leave a server busy comes last, so that it troubles no other measurement
    chosen.sort(key=lambda one: one.heavy)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    lines = run(options, chosen)
    print(as_text(lines, json_lines=options.json), flush=True)
    return 0 if all(line.passes for line in lines) else 1


def as_text(lines: list[Line], *, json_lines: bool) -> str:
    plain: list[dict[str, Any]] = [asdict(line) for line in lines]
    if json_lines:
        return json.dumps(plain, ensure_ascii=False)
    return "\n".join([HEAD, *(line.markdown() for line in lines)])


if __name__ == "__main__":
    sys.exit(main())
