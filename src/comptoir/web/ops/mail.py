"""Mail, where the host of a server has given it one to send by: to addresses that their owners have
confirmed, each with a link that stops it.
"""

from __future__ import annotations

import re
import smtplib
import ssl
import tomllib
from dataclasses import dataclass, fields
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from comptoir.errors import OptionError
from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.limits import (
    ADDRESS_CONFIRM_RATE,
    ADDRESS_INBOX_CONFIRM_RATE,
    CONFIRM_RATE,
    INBOX_CONFIRM_RATE,
    MAIL_ADDRESS_LETTERS,
    MAIL_SERVER_SECONDS,
    NEWCOMER_RATE,
    NEWCOMERS_CONFIRM_RATE,
)
from comptoir.web.ops.fair_queue import OWN
from comptoir.web.ops.request_guard import TokenBuckets

DOTLESS = ("gmail.com", "googlemail.com")  # one mail host with two names, which ignores dots
SECURITY = ("starttls", "tls", "none")
# what can be written on an envelope without further signs; stranger ones are not taken
_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)


class Undelivered(Exception):
    """The mail server did not take it. `later`: it may, another time."""

    def __init__(self, *, later: bool) -> None:
        super().__init__()
        self.later = later


@dataclass(frozen=True)
class MailSettings:
    """How a server sends mail, as its host says in a file."""

    host: str
    sender: str
    url: str  # of this server, as people reach it: what mails link to
    port: int = 587
    security: str = "starttls"
    user: str = ""
    password: str = ""

    @property
    def contact(self) -> str:
        return f"mailto:{parseaddr(self.sender)[1]}"

    @classmethod
    def read(cls, path: str) -> MailSettings:
        """The settings in a TOML file; `password_file` names the file that holds the password."""
        try:
            given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"mail: {path} cannot be read: {_reason(error)}") from None
        except tomllib.TOMLDecodeError as error:
            raise OptionError(f"mail: {path} is not valid TOML: {error}") from None
        if "password_file" in given:
            given["password"] = _read_password(Path(path).parent / str(given.pop("password_file")))
        if "from" in given:
            given["sender"] = given.pop("from")
        return cls(**_checked(given, path))


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or "" if isinstance(error, OSError) else "it is not text in UTF-8"


def _read_password(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"mail: password_file {path} cannot be read: {_reason(error)}") from None


def _checked(given: dict[str, object], path: str) -> dict[str, Any]:
    """What a file says, if it says enough and nothing else."""
    known = {field.name: str(field.type) for field in fields(MailSettings)}
    for name, value in given.items():
        if name not in known:
            allowed = "host, port, security, user, password_file, from, url"
            raise OptionError(f"mail: {path} has {name!r}; it may have {allowed}")
        if type(value).__name__ != known[name]:
            raise OptionError(f"mail: {path}: {_said(name)}: expected {known[name]}, found {value!r}")
    for name in ("host", "sender", "url"):
        if not given.get(name):
            raise OptionError(f"mail: {path} does not say {_said(name)}")
    if given.get("security", "starttls") not in SECURITY:
        raise OptionError(f"mail: {path}: security: expected one of {', '.join(SECURITY)}")
    if not is_address(parseaddr(str(given["sender"]))[1]):
        raise OptionError(f"mail: {path}: from: expected an address, such as Comptoir <games@example.org>")
    url = urlsplit(str(given["url"]))
    if url.scheme not in ("http", "https") or not url.hostname or url.path not in ("", "/"):
        raise OptionError(f"mail: {path}: url: expected this server's own, such as https://games.example.org")
    return given | {"url": str(given["url"]).rstrip("/")}


def _said(name: str) -> str:
    return "from" if name == "sender" else name


def is_address(text: str) -> bool:
    return len(text) <= MAIL_ADDRESS_LETTERS and _ADDRESS.fullmatch(text) is not None and ".." not in text


def inbox(address: str) -> str:
    """The inbox that an address leads to, for counting: without case, tags, and dots that are ignored."""
    local, _, domain = address.lower().rpartition("@")
    if domain in DOTLESS:
        local, domain = local.replace(".", ""), DOTLESS[0]
    return f"{local.partition('+')[0] or local}@{domain}"


class ConfirmQuota:
    """How many mails that confirm an address may be asked for: from one address, to one inbox, and in all.

    Once those in all are used up, there are some left for asking addresses that have had none lately: whoever
    asks for many keeps nobody else from confirming.
    """

    def __init__(self, time_source: TimeSource = SYSTEM_TIME) -> None:
        made = partial(TokenBuckets, clock=time_source.monotonic)
        self._asker, self._newcomer = made(*ADDRESS_CONFIRM_RATE), made(*NEWCOMER_RATE)
        self._inbox, self._pair = made(*INBOX_CONFIRM_RATE), made(*ADDRESS_INBOX_CONFIRM_RATE)
        self.common, self._newcomers = made(*CONFIRM_RATE), made(*NEWCOMERS_CONFIRM_RATE)

    def wait(self, asker: str, address: str) -> float:
        """Takes one, if there is one; else the seconds to wait, and nothing is taken."""
        to, asker = inbox(address), _network(asker)
        quotas = [(self._inbox, to), (self._pair, f"{asker} {to}"), (self.common, "")]
        if asker != OWN:
            quotas.append((self._asker, asker))
            if self.common.left("") and not self._newcomer.left(asker):
                quotas[2] = self._newcomers, ""
        wait = max(bucket.left(key) for bucket, key in quotas)
        if not wait:
            for bucket, key in (*quotas, (self._newcomer, asker)):
                bucket.wait(key)
        return wait


def _network(asker: str) -> str:
    """An asking address, of IPv6 its /48: some providers give a household as much."""
    return asker[:14] if ":" in asker else asker


class Mail:
    """Writes mails and hands them to the host's mail server."""

    def __init__(self, settings: MailSettings) -> None:
        self.settings = settings

    def write(self, to: str, subject: str, lines: list[str], lang: str, stop: str = "") -> EmailMessage:
        """`stop`: the path by which who gets it stops further ones, with one click in their mail program."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.settings.sender, to, subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=urlsplit(self.settings.url).hostname)
        message["Auto-Submitted"] = "auto-generated"
        if stop:
            message["List-Unsubscribe"] = f"<{self.settings.url}{stop}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content("\n\n".join(lines) + "\n")
        message["Content-Language"] = lang
        return message

    def send(self, message: EmailMessage) -> None:
        """Waits for the mail server, so it is called in a thread. Raises Undelivered."""
        try:
            with self._line() as line:
                line.send_message(message)
        except smtplib.SMTPResponseException as error:
            raise Undelivered(later=400 <= error.smtp_code < 500) from None
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            raise Undelivered(later=all(400 <= code < 500 for code in codes)) from None
        except (OSError, smtplib.SMTPException):
            raise Undelivered(later=True) from None

    def _line(self) -> smtplib.SMTP:
        settings = self.settings
        if settings.security == "tls":
            line: smtplib.SMTP = smtplib.SMTP_SSL(
                settings.host,
                settings.port,
                timeout=MAIL_SERVER_SECONDS,
                context=ssl.create_default_context(),
            )
        else:
            line = smtplib.SMTP(settings.host, settings.port, timeout=MAIL_SERVER_SECONDS)
        try:
            if settings.security == "starttls":
                line.starttls(context=ssl.create_default_context())
            if settings.user:
                line.login(settings.user, settings.password)
        except BaseException:
            line.close()
            raise
        return line
