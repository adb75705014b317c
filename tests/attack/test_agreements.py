"""People who ask each other for the same without end: it ends, nobody else feels it, and the match goes on."""

from __future__ import annotations

import httpx
import pytest

from comptoir.web.limits import PERSON_ASKS
from tests import real_time
from tests.attack.target import Target, attacker, form_token
from tests.attack.test_floods import run

pytestmark = pytest.mark.slow


async def ask(client: httpx.AsyncClient, id: str, version: int, what: str) -> tuple[bool, int]:
    """Whether it was done, and how the table stands then."""
    while True:
        wish = {"version": version, "what": what}
        answer = await client.post(f"/api/tables/{id}/agreements", json=wish)
        if answer.status_code != 429:
            assert answer.status_code in (200, 409), answer.text
            return answer.status_code == 200, answer.json()["version"]
        await real_time.elapse(0.2)


async def table_of_two(anne: httpx.AsyncClient, bruno: httpx.AsyncClient) -> str:
    made = await anne.post("/api/tables", json={"game": "century", "seats": ["me", "free"], "name": "Anne"})
    made.raise_for_status()
    id = str(made.json()["id"])
    token = await form_token(bruno)
    sat = await bruno.post(f"/tables/{id}/sit", data={"token": token, "seat": "1", "name": "Bruno"})
    assert sat.status_code == 303
    begun = await bruno.post(f"/tables/{id}/begin", data={"token": token})
    assert begun.status_code == 303
    return id


def test_pauses_without_end(target: Target) -> None:
    """Each pause was stored, and each was compared with each other whenever anything happened there."""

    async def attack() -> None:
        async with target.client(attacker(710)) as anne, target.client(attacker(711)) as bruno:
            id = await table_of_two(anne, bruno)
            begun = version = (await anne.get(f"/api/tables/{id}")).json()["version"]
            for n in range(PERSON_ASKS):
                for client, what in ((anne, "pause"), (bruno, "agree"), (anne, "resume")):
                    done, version = await ask(client, id, version, what)
                    assert done, f"{what} {n}"
            assert version == begun + 3 * PERSON_ASKS
            for _ in range(50):
                done, now = await ask(anne, id, version, "pause")
                assert (done, now) == (False, version)
            async with target.client(attacker(712)) as stranger:
                page = (await stranger.get(f"/tables/{id}")).text
            assert page.count("has paused the match") + page.count("a mis la partie en pause") == 1
            seen = (await anne.get(f"/api/tables/{id}")).json()
            player = anne if seen["turn"] == 0 else bruno
            action = (await player.get(f"/api/tables/{id}")).json()["view"]["actions"][0]
            wish = {"version": version, "action": action}
            assert (await player.post(f"/api/tables/{id}/actions", json=wish)).status_code == 200

    with target.visited() as visit:
        run(attack())
    visit.bearable()


def test_asking_and_withdrawing_without_end(target: Target) -> None:
    """What was withdrawn is not asked for again in the same position: the loop stores two events."""

    async def attack() -> None:
        async with target.client(attacker(713)) as anne, target.client(attacker(714)) as bruno:
            id = await table_of_two(anne, bruno)
            begun = version = (await anne.get(f"/api/tables/{id}")).json()["version"]
            for _ in range(150):
                _, version = await ask(anne, id, version, "pause")
                _, version = await ask(anne, id, version, "decline")
                _, version = await ask(anne, id, version, "undo")
            assert version == begun + 2

    with target.visited() as visit:
        run(attack())
    visit.bearable()
