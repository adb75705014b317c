"""Web Push: what a browser's push service is sent, so that a device rings with the page closed.

A message is encrypted for the one browser that asked for it (RFC 8291), signed with the server's own keys
(VAPID, RFC 8292) and posted to an address that the browser has named. That address is foreign: it is reached
only by https, and never in a private network.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socket
import ssl
from base64 import urlsafe_b64decode, urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from comptoir.time_source import SYSTEM_TIME, TimeSource
from comptoir.web.limits import PUSH_ANSWER_BYTES, PUSH_ENDPOINT_LETTERS, PUSH_RESOLVERS, PUSH_SECONDS
from comptoir.web.storage.recipients import Subscription

AUTH, POINT = 16, 65  # bytes of a browser's secret, and of a public key
RECORD = 4_096  # bytes of the one record that a message is
TTL_SECONDS = 3 * 24 * 3600  # seconds for which a push service keeps what it cannot deliver
VAPID_LIFETIME = 12 * 3600  # for which a signature is good
# What IANA's registries of special-purpose addresses list, and multicast. `is_global` of Python's own
# addresses differs from version to version, so it is asked as well but never trusted alone.
SPECIAL = tuple(
    map(
        ip_network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
            # 2001::/23 has Teredo and other protocols' own addresses, 2002::/16 is 6to4: both may hide an
            # IPv4 address; then examples, and AS112's name servers
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"),
        ),
    )
)
# All of the internet's IPv6 addresses are in here: neither mapped, translated or compatible IPv4 addresses
# nor site-local, link-local, unique local or multicast ones are.
GLOBAL_UNICAST = ip_network("2000::/3")

_CURVE = ec.SECP256R1()


class BadSubscription(ValueError):
    """What a browser is said to have named cannot be a subscription."""


class PushUnreachable(OSError):
    """A push service did not answer, or is where none can be."""


@dataclass(frozen=True)
class PushResponse:
    """What a push service says; `after`: the seconds after which to try again."""

    status: int
    after: float = 0.0

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Whether the subscription is no more."""
        return self.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)

    @property
    def later(self) -> bool:
        """Whether the same may be taken another time."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= 500


# What browsers name


def read_subscription(
    person: str, session: str, lang: str, fields: dict[str, str], *, allow_private: bool
) -> Subscription:
    """A subscription as a page sends it. `allow_private`: also without https, and in private networks."""
    endpoint = fields.get("endpoint", "")
    split_endpoint(endpoint, allow_private=allow_private)
    key, auth = _bytes(fields.get("p256dh", "")), _bytes(fields.get("auth", ""))
    if len(key) != POINT or len(auth) != AUTH:
        raise BadSubscription("a key of another length")
    _public(key)
    return Subscription(person, session, endpoint, key, auth, lang)


def split_endpoint(endpoint: str, *, allow_private: bool) -> SplitResult:
    """The parts of an address to which messages may be posted."""
    if len(endpoint) > PUSH_ENDPOINT_LETTERS or not endpoint.isascii() or not endpoint.isprintable():
        raise BadSubscription("no address")
    try:
        parts = urlsplit(endpoint)
        _ = parts.port
    except ValueError:
        raise BadSubscription("no address") from None
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or not parts.hostname or "@" in parts.netloc or " " in endpoint:
        raise BadSubscription("not an https address")
    if not allow_private and _is_private_literal(parts.hostname):
        raise BadSubscription("an address in a private network")
    return parts


def _is_private_literal(host: str) -> bool:
    """Whether a host is given as an address that none of the internet's has, or is this machine's name."""
    try:
        return not is_public(host)
    except ValueError:
        return "." not in host.rstrip(".") or host.rstrip(".").endswith((".localhost", ".local", ".internal"))


def is_public(address: str) -> bool:
    """Whether an address is one of the internet's. Raises ValueError if it is none at all."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found not in GLOBAL_UNICAST:
        return False
    return found.is_global and not any(found in network for network in SPECIAL)


# Keys and signatures


def new_keys() -> bytes:
    """A server's own key, to be kept permanently: subscriptions are made for it."""
    return ec.generate_private_key(_CURVE).private_numbers().private_value.to_bytes(32, "big")


@dataclass(frozen=True)
class Keys:
    """The server's keys, and whom a push service may write to about it."""

    secret: bytes
    contact: str

    @cached_property
    def _private(self) -> ec.EllipticCurvePrivateKey:
        return ec.derive_private_key(int.from_bytes(self.secret, "big"), _CURVE)

    @cached_property
    def public(self) -> str:
        """What a page subscribes with."""
        return _text(_point(self._private.public_key()))

    def authorization(self, endpoint: SplitResult, now: float) -> str:
        """Proves to one push service that a message is this server's."""
        claims = {
            "aud": f"{endpoint.scheme}://{endpoint.netloc}",
            "exp": int(now) + VAPID_LIFETIME,
            "sub": self.contact,
        }
        signed = ".".join(
            _text(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)
        )
        r, s = decode_dss_signature(self._private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"vapid t={signed}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}, k={self.public}"


def encrypt(
    text: bytes,
    key: bytes,
    auth: bytes,
    *,
    salt: bytes | None = None,
    own: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """A message that only the browser with those keys can read; `salt` and `own` are drawn again for each."""
    salt, own = salt or os.urandom(16), own or ec.generate_private_key(_CURVE)
    mine = _point(own.public_key())
    shared = own.exchange(ec.ECDH(), _public(key))
    secret = _derived(shared, auth, b"WebPush: info\0" + key + mine, 32)
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD.to_bytes(4, "big") + bytes([len(mine)]) + mine
    return head + AESGCM(content_key).encrypt(nonce, text + b"\x02", None)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _public(point: bytes) -> ec.EllipticCurvePublicKey:
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, point)
    except ValueError:
        raise BadSubscription("no point of the curve") from None


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """What a browser writes in the letters of base64 that need no escape in an address."""
    if len(text) > 200 or not text.isascii():
        raise BadSubscription("a key of another length")
    try:
        return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except ValueError:
        raise BadSubscription("a key in no base64") from None


# Sending


class Push:
    """Posts messages to push services, from within the loop: each is given up when its time is over."""

    def __init__(
        self, keys: Keys, *, allow_private: bool = False, time_source: TimeSource = SYSTEM_TIME
    ) -> None:
        self.keys, self.allow_private, self._time = keys, allow_private, time_source
        self._tls = ssl.create_default_context()
        # A name server may take half a minute to answer, and its thread cannot be stopped. The event loop's
        # own threads, which asyncio would use, are needed for other work.
        self._resolving = ThreadPoolExecutor(PUSH_RESOLVERS, "push-resolver")

    def stop(self) -> None:
        self._resolving.shutdown(wait=False, cancel_futures=True)

    async def send(self, to: Subscription, message: bytes, topic: str) -> PushResponse:
        """Raises PushUnreachable. Of what is not delivered yet, a service keeps the newest of each topic."""
        endpoint = split_endpoint(to.endpoint, allow_private=self.allow_private)
        body = encrypt(message, to.key, to.auth)
        try:
            async with asyncio.timeout(PUSH_SECONDS):
                return await self._post(endpoint, body, hashlib.sha256(topic.encode()).hexdigest()[:32])
        except (
            OSError,
            ssl.SSLError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            ValueError,
        ) as error:
            raise PushUnreachable(type(error).__name__) from None

    async def _post(self, endpoint: SplitResult, body: bytes, topic: str) -> PushResponse:
        headers = {
            "Host": endpoint.netloc,
            "Authorization": self.keys.authorization(endpoint, self._time.time()),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "Content-Length": str(len(body)),
            "TTL": str(TTL_SECONDS),
            "Topic": topic,
            "Urgency": "high",
            "Connection": "close",
        }
        path = endpoint.path or "/"
        target = f"{path}?{endpoint.query}" if endpoint.query else path
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        reader, writer = await self._connect(endpoint)
        try:
            writer.write(f"POST {target} HTTP/1.1\r\n{head}\r\n".encode() + body)
            await writer.drain()
            return _read_answer(await reader.readuntil(b"\r\n\r\n"))
        finally:
            writer.transport.abort()

    async def _connect(self, endpoint: SplitResult) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """To the very address that was looked at: a name that is asked for twice may lead elsewhere."""
        secure, host = endpoint.scheme == "https", endpoint.hostname or ""
        port = endpoint.port or (443 if secure else 80)
        found = await self._resolve(host, port)
        address = str(found[0][4][0])
        if not self.allow_private and not all(is_public(str(one[4][0])) for one in found):
            raise PushUnreachable("an address in a private network")
        if not secure:
            return await asyncio.open_connection(address, port, limit=PUSH_ANSWER_BYTES)
        return await asyncio.open_connection(
            address, port, limit=PUSH_ANSWER_BYTES, ssl=self._tls, server_hostname=host
        )

    async def _resolve(self, host: str, port: int) -> list[Any]:
        resolve = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        return await asyncio.get_running_loop().run_in_executor(self._resolving, resolve)


def _read_answer(head: bytes) -> PushResponse:
    lines = head.decode("latin-1").split("\r\n")
    status = lines[0].split(" ")[1] if lines[0].startswith("HTTP/1.") and " " in lines[0] else ""
    if not (status.isascii() and status.isdecimal() and len(status) == 3):
        raise PushUnreachable("no answer of a web server")
    after = next((line[12:].strip() for line in lines if line.lower().startswith("retry-after:")), "")
    return PushResponse(
        int(status), float(after) if after.isascii() and after.isdecimal() and len(after) < 7 else 0.0
    )
