"""Stand-ins for what is out there: a push service that reads what it is sent, as a browser would, and a mail
server that keeps the mails.
"""

from __future__ import annotations

import json
import os
import threading
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.web.conftest import free_port


def text_of(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Device:
    """A browser's own keys, and what it can read with them."""

    def __init__(self, endpoint: str, secret: ec.EllipticCurvePrivateKey | None = None) -> None:
        self.endpoint, self.auth = endpoint, os.urandom(16)
        self._secret = secret or ec.generate_private_key(ec.SECP256R1())
        self.key = self._secret.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def fields(self) -> dict[str, str]:
        return {"endpoint": self.endpoint, "p256dh": text_of(self.key), "auth": text_of(self.auth)}

    def read(self, body: bytes) -> bytes:
        """RFC 8291 from the receiving end."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(sealed) <= size
        shared = self._secret.exchange(
            ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        )
        secret = self._derive(shared, self.auth, b"WebPush: info\0" + self.key + sender, 32)
        key = self._derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = self._derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain[-1:] == b"\x02"
        return plain[:-1]

    @staticmethod
    def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


@dataclass
class Received:
    """A message that the service has taken."""

    device: Device
    headers: dict[str, str]
    content: bytes

    @property
    def shown(self) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(self.content)
        return shown


@dataclass
class PushService:
    """Checks who sends, decrypts, and answers with the statuses that a test has laid out, then with 201."""

    address: str = ""
    devices: dict[str, Device] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: int = 0

    def device(self) -> Device:
        made = Device(f"{self.address}/push/{text_of(os.urandom(9))}")
        self.devices[made.endpoint] = made
        return made

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        self.asked += 1
        device = self.devices[f"{self.address}{path}"]
        self.check(headers["authorization"])
        assert headers["content-encoding"] == "aes128gcm"
        assert int(headers["ttl"]) > 0
        assert 0 < len(headers["topic"]) <= 32
        content = device.read(body)
        status = self.statuses.pop(0) if self.statuses else 201
        if status == 201:
            self.received.append(Received(device, headers, content))
        return status

    def check(self, authorization: str) -> None:
        """RFC 8292: a JSON Web Token, signed with the key that is sent along."""
        scheme, _, rest = authorization.partition(" ")
        assert scheme == "vapid"
        given = dict(part.strip().split("=", 1) for part in rest.split(","))
        signed, _, signature = given["t"].rpartition(".")
        head, claims = (json.loads(bytes_of(part)) for part in signed.split("."))
        assert head == {"typ": "JWT", "alg": "ES256"}
        assert claims["aud"] == self.address
        assert time.time() < claims["exp"] <= time.time() + 24 * 3600
        assert claims["sub"].startswith(("mailto:", "https://"))
        raw = bytes_of(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(given["k"]))
        key.verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))


@contextmanager
def push_service() -> Iterator[PushService]:
    service = PushService()
    wrong: list[BaseException] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            try:
                headers = {name.lower(): value for name, value in self.headers.items()}
                status = service.take(self.path, headers, body)
            except BaseException as error:
                wrong.append(error)
                status = 400
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert wrong == []


class MailBox:
    """Keeps every mail; refuses as many as a test says."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refusals: list[str] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.refusals:
            return self.refusals.pop(0)
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        assert envelope.rcpt_tos == [mail["To"]]
        self.mails.append(mail)
        return "250 OK"


@contextmanager
def mail_server() -> Iterator[tuple[MailBox, int]]:
    """A mail box and the port at which mails for it are taken."""
    box, port = MailBox(), free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()
