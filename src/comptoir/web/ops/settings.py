"""What `comptoir serve` tells the processes that serve.

It is handed to them when they are started, and never through their environment, which other programs can
read. Secrets that are in files stay there: each process reads them itself, so a process that is started later
finds the newest.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from comptoir.errors import OptionError

# held by the process that was given them, and by none that it starts
SECRET_VARIABLES = ("COMPTOIR_DATABASE", "COMPTOIR_ADMIN_TOKEN")


@dataclass(frozen=True)
class ServerSettings:
    """How to serve. Of the database either the address or the file that holds it is given."""

    database: str = field(default="", repr=False)
    database_file: str = ""
    bot_delay: float = 0.7
    log: str = ""
    hosts: tuple[str, ...] = ("*",)
    proxies: tuple[str, ...] = ()
    admin_token: str = field(default="", repr=False)
    admin_token_file: str = ""
    smtp_config: str = ""
    review_cpu: float = 0.5
    limits: bool = True
    push_allow_private: bool = False

    @classmethod
    def from_environment(cls) -> ServerSettings:
        """For tests and benches, which serve without `comptoir serve`."""
        return cls(
            database=os.environ["COMPTOIR_DATABASE"],
            bot_delay=float(os.environ.get("COMPTOIR_BOT_DELAY") or 0.7),
            log=os.environ.get("COMPTOIR_LOG", ""),
            hosts=tuple((os.environ.get("COMPTOIR_ALLOWED_HOSTS") or "*").split(",")),
            proxies=tuple(filter(None, os.environ.get("COMPTOIR_TRUSTED_PROXIES", "").split(","))),
            admin_token=os.environ.get("COMPTOIR_ADMIN_TOKEN", ""),
            smtp_config=os.environ.get("COMPTOIR_SMTP_CONFIG", ""),
            review_cpu=float(os.environ.get("COMPTOIR_REVIEW_CPU") or 0.5),
            limits=limits_apply(),
            push_allow_private=may_push_to_private(),
        )

    def database_url(self) -> str:
        return self.database or _read("database", self.database_file)

    def token(self) -> str:
        """The operator's token; empty if there is none."""
        if self.admin_token or not self.admin_token_file:
            return self.admin_token
        return _read("admin token", self.admin_token_file)


def limits_apply() -> bool:
    """Tests and benches lift the limits on rates, since all their visitors come from one address."""
    return os.environ.get("COMPTOIR_RATE_LIMITS") != "off"


def may_push_to_private() -> bool:
    """Tests have their own push service, which is not on the internet."""
    return os.environ.get("COMPTOIR_PUSH_ALLOW_PRIVATE") == "on"


def secret_in(file: str) -> str:
    """The one line of a file that others cannot read. Raises OSError or ValueError."""
    text = Path(file).read_text(encoding="utf-8").strip()
    if not text or "\n" in text:
        raise ValueError("expected one line of text")
    return text


def forget_secrets() -> None:
    """Takes secrets out of this process's environment: processes that it starts inherit the rest."""
    for name in SECRET_VARIABLES:
        os.environ.pop(name, None)


def _read(what: str, file: str) -> str:
    try:
        return secret_in(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{what}: {file} cannot be used: {reason}") from None
