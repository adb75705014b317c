"""Cookies, links and form tokens cannot be forged or swapped."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from itsdangerous import Signer, TimestampSigner
from starlette.requests import Request
from starlette.responses import Response

from comptoir.web.domain.people import (
    CONFIRM_SECONDS,
    COOKIE,
    COOKIE_RENEWAL_AGE,
    LIFETIME,
    MOVE_SECONDS,
    IdentityTokens,
    Session,
    nameless,
    new_id,
)
from tests.manual_time import ManualTime

SECRET = b"a secret of 32 bytes, for tests.."
TIME = ManualTime()
PEOPLE = IdentityTokens(SECRET, TIME)
STRANGER = IdentityTokens(b"another secret, of another server")


def request(cookie: str = "", scheme: str = "http") -> Request:
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode()), (b"host", b"comptoir.test")] if cookie else []
    return Request(
        {
            "type": "http",
            "scheme": scheme,
            "method": "GET",
            "path": "/",
            "query_string": b"",
            "headers": headers,
        }
    )


def test_ids_cannot_be_guessed() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert {len(id) for id in ids} == {22}


def test_the_cookie_says_who_asks() -> None:
    id = new_id()
    session = PEOPLE.session_of(request(PEOPLE.sign(id, "phone")))
    assert session is not None
    assert (session.person, session.id, session.due) == (id, "phone", False)
    assert session.given == TIME.time()
    assert PEOPLE.session_of(request()) is None
    assert PEOPLE.session_of(request(STRANGER.sign(id))) is None
    assert PEOPLE.session_of(request(id)) is None


def test_every_device_has_a_session_of_its_own() -> None:
    one, other = (PEOPLE.read(PEOPLE.sign("anne")) for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.id != other.id
    assert one.person == other.person == "anne"


def test_a_session_that_is_not_used_for_long_is_over() -> None:
    """Its cookie is given again when it is a day old, so one that is used never ends by itself."""
    people = IdentityTokens(SECRET, time := ManualTime())
    cookie, passed = people.sign("anne", "phone"), 0
    for later, due in (
        (0, False),
        (COOKIE_RENEWAL_AGE, False),
        (COOKIE_RENEWAL_AGE + 1, True),
        (LIFETIME, True),
    ):
        time.pass_by(later - passed)
        passed = later
        session = people.read(cookie)
        assert session is not None
        assert session.due == due
    time.pass_by(1)
    assert people.read(cookie) is None


def first_cookie(person: str, secret: bytes = SECRET) -> str:
    """A cookie as it was before there were sessions."""
    signer = Signer(secret, salt=b"comptoir person", key_derivation="hmac", digest_method=hashlib.sha256)
    return signer.sign(person).decode()


def test_a_cookie_from_before_sessions_is_good_and_due() -> None:
    session = PEOPLE.read(first_cookie("anne"))
    assert session == Session("anne", "")
    assert session.due
    assert PEOPLE.read(first_cookie("anne", b"another secret")) is None


def test_parts_of_two_cookies_make_none() -> None:
    anne, bruno = PEOPLE.sign("anne", "phone").split("."), PEOPLE.sign("bruno", "desk").split(".")
    assert PEOPLE.read(".".join(anne)) is not None
    for place in range(len(anne)):
        mixed = [*anne[:place], bruno[place], *anne[place + 1 :]]
        assert PEOPLE.read(".".join(mixed)) is None or mixed == anne
    assert PEOPLE.read(f"{first_cookie('anne')}.{anne[-1]}") is None
    unnamed = TimestampSigner(
        SECRET, salt=b"comptoir session", key_derivation="hmac", digest_method=hashlib.sha256
    )
    assert PEOPLE.read(unnamed.sign("anne.phone").decode()) is not None
    assert PEOPLE.read(unnamed.sign("anne").decode()) is None, "it names no session"


@settings(deadline=None)
@given(st.text())
def test_nothing_else_is_a_cookie(text: str) -> None:
    assert PEOPLE.read(text) is None
    assert PEOPLE.read_move(text) is None
    assert not PEOPLE.check_form("anne", text)


def test_a_cookie_with_one_letter_changed_is_none() -> None:
    """But for its last letter, of which Base64 reads only the first bits."""
    cookie = PEOPLE.sign("anne-of-the-22-letters")
    for place, old in enumerate(cookie[:-1]):
        for letter in set("abzAZ09-_.") - {old}:
            assert PEOPLE.read(cookie[:place] + letter + cookie[place + 1 :]) is None


@pytest.mark.parametrize(("scheme", "secure"), [("http", False), ("https", True)])
def test_the_cookie_is_kept_from_scripts_and_other_sites(scheme: str, secure: bool) -> None:
    response = Response()
    PEOPLE.set_cookie(response, request(scheme=scheme), Session("anne", "phone"))
    value, *flags = response.headers["set-cookie"].split("; ")
    given = PEOPLE.read(value.removeprefix(f"{COOKIE}="))
    assert given is not None
    assert (given.person, given.id) == ("anne", "phone")
    assert {"HttpOnly", "SameSite=lax", f"Max-Age={LIFETIME}", "Path=/"} <= set(flags)
    assert ("Secure" in flags) == secure


def test_a_link_moves_a_person_for_a_quarter_of_an_hour() -> None:
    people = IdentityTokens(SECRET, time := ManualTime())
    token = people.move_token(Session("anne", "phone", 5.0))
    assert people.read_move(token) == Session("anne", "phone")
    assert STRANGER.read_move(token) is None
    time.pass_by(MOVE_SECONDS)
    assert people.read_move(token) == Session("anne", "phone")
    time.pass_by(1)
    assert people.read_move(token) is None


@pytest.mark.parametrize("back", [5, 60, 3_600, 50 * 365 * 86_400])
def test_a_clock_that_is_set_back_costs_nobody_their_cookie(back: int) -> None:
    """What was signed in the future is as good as what was signed now; so are links."""
    people = IdentityTokens(SECRET, time := ManualTime())
    cookie, link = people.sign("anne", "phone"), people.move_token(Session("anne", "phone"))
    confirm = people.confirm_token("anne", "anne@example.org")
    time.set_clock(-back)
    session = people.read(cookie)
    assert session is not None
    assert (session.person, session.id, session.due) == ("anne", "phone", False)
    assert people.read_move(link) == Session("anne", "phone")
    assert people.read_confirm(confirm) == "anne"


def test_a_form_belongs_to_a_person() -> None:
    token = PEOPLE.form_token("anne")
    assert PEOPLE.check_form("anne", token)
    assert not PEOPLE.check_form("bruno", token)
    assert not STRANGER.check_form("anne", token)


def test_one_use_cannot_stand_in_for_another() -> None:
    cookie, form = PEOPLE.sign("anne"), PEOPLE.form_token("anne")
    link = PEOPLE.move_token(Session("anne", "phone"))
    assert PEOPLE.read(link) is PEOPLE.read(f"anne.{form}") is None
    assert PEOPLE.read_move(cookie) is None
    assert not PEOPLE.check_form("anne", cookie.partition(".")[2])


# Links in mails

ADDRESS = "anne@example.org"


def test_a_link_that_confirms_an_address_is_good_for_two_days() -> None:
    time = ManualTime()
    people = IdentityTokens(SECRET, time)
    token = people.confirm_token("anne", ADDRESS)
    assert people.read_confirm(token) == "anne"
    time.pass_by(CONFIRM_SECONDS)
    assert people.read_confirm(token) == "anne"
    time.pass_by(1)
    assert people.read_confirm(token) is None


def test_links_in_mails_are_about_one_address_and_cannot_be_forged() -> None:
    confirm, stop = PEOPLE.confirm_token("anne", ADDRESS), PEOPLE.stop_token("anne", ADDRESS)
    for token in (confirm, stop):
        assert PEOPLE.is_about(token, ADDRESS)
        assert not PEOPLE.is_about(token, "bruno@example.org")
    assert PEOPLE.read_stop(stop) == "anne"
    for token in (confirm, STRANGER.stop_token("anne", ADDRESS), stop[:-1], "", "é"):
        assert PEOPLE.read_stop(token) is None
    for token in (stop, STRANGER.confirm_token("anne", ADDRESS), confirm[:-1], "", "é"):
        assert PEOPLE.read_confirm(token) is None


def test_what_a_server_has_signed_stays_good() -> None:
    """Cookies, and links in mails, are older than the server that reads them; these were signed in November 2026."""
    people = IdentityTokens(b"the secret of a server", ManualTime())
    session = people.read("anne.phone.a0nSAA.02A6DrKVTTVZx0HybyH0BgxI8Dx2HGdogpp4ym5Lvp0")
    assert session is not None
    assert (session.person, session.id) == ("anne", "phone")
    moved = people.read_move("anne.phone.a0nSAA.5RCdr7wGYJ7Fp3Gcpm0JNyyORTdKXBqT1BlHqE0aHFE")
    assert moved is not None
    assert (moved.person, moved.id) == ("anne", "phone")
    mark = "RX3EBc5dEDgm1UOnXaWI6x"
    confirm = f"anne.{mark}.a0nSAA.m2epBiuKNvEEPFQOheQverHLcZy_5ayG1Fij_fC3Mi0"
    stop = f"anne.{mark}.VE2al3-4_FRbM2Rot4pSrRrAKjabccFw7WpbKa9YI5Q"
    assert (people.read_confirm(confirm), people.read_stop(stop)) == ("anne", "anne")
    assert people.is_about(stop, ADDRESS)
    assert people.mark("anne") == "DOP5rogBsXdm2X0i7_qxns"


def test_a_form_token_that_no_page_has_is_refused() -> None:
    assert PEOPLE.check_form("anne", PEOPLE.form_token("anne"))
    for token in (PEOPLE.form_token("bruno"), STRANGER.form_token("anne"), "", "é", "\udce9"):
        assert not PEOPLE.check_form("anne", token)


def test_a_deleted_cookie_is_over_at_once() -> None:
    response = Response()
    PEOPLE.delete_cookie(response)
    assert f'{COOKIE}=""' in response.headers["set-cookie"]
    assert "Max-Age=0" in response.headers["set-cookie"]


def test_seats_without_names_are_counted_from_one() -> None:
    assert [nameless(seat) for seat in range(3)] == ["№ 1", "№ 2", "№ 3"]
