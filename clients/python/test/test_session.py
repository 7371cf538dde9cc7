"""Who asks: signing in, renewing tokens, signing out."""

import concurrent.futures
import unittest

import httpx
from platform_under_test import BASE, DEMO, Unreliable, signed_in

from tenantry import Tenantry, TenantryError, Tokens, result
from tenantry_client.api.clients import clients_create, clients_list
from tenantry_client.api.tenants import tenants_list
from tenantry_client.models import ClientsCreateRequest


class Sessions(unittest.TestCase):
    def refused(self, tenantry: Tenantry, code: str) -> None:
        with self.assertRaises(TenantryError) as raised:
            tenants_list.sync(client=tenantry)
        self.assertEqual((raised.exception.status, raised.exception.code), (401, code))

    def test_a_wrong_password_is_refused_and_the_right_one_signs_in(self) -> None:
        kept: list[Tokens | None] = []
        tenantry = Tenantry(BASE, on_tokens=kept.append)
        self.refused(tenantry, "not_authenticated")
        with self.assertRaises(TenantryError) as raised:
            tenantry.sign_in(DEMO["username"], "wrong")
        self.assertEqual(raised.exception.code, "sign_in_wrong")
        self.assertEqual(kept, [])
        tenantry.sign_in(DEMO["username"], DEMO["password"])
        self.assertEqual([one.id for one in result(tenants_list.sync(client=tenantry))], [DEMO["tenant"]])
        self.assertEqual(kept, [tenantry.tokens])

    def test_who_has_signed_out_is_refused(self) -> None:
        tenantry = signed_in()
        tokens = tenantry.tokens
        tenantry.sign_out()
        self.assertIsNone(tenantry.tokens)
        self.refused(Tenantry(BASE, tokens=tokens), "token_not_valid")

    def test_a_refused_token_is_renewed_once_by_whoever_is_refused_first(self) -> None:
        before = signed_in().tokens
        assert before
        kept: list[Tokens | None] = []
        network = Unreliable()
        old = Tokens(before.access[:-4] + "AAAA", before.refresh)
        tenantry = Tenantry(BASE, tokens=old, on_tokens=kept.append, transport=network)
        with concurrent.futures.ThreadPoolExecutor(5) as threads:
            counts = list(threads.map(lambda n: result(clients_list.sync(client=tenantry)).count, range(5)))
        self.assertTrue(all(counts))
        self.assertEqual([one.url.path for one in network.seen].count("/v1/auth/refresh/"), 1)
        self.assertEqual(kept, [tenantry.tokens])
        assert kept[0]
        self.assertNotEqual(kept[0].refresh, before.refresh)

    def test_the_lost_answer_of_a_renewal_ends_no_sign_in(self) -> None:
        before = signed_in().tokens
        assert before
        network = Unreliable()
        network.fates("POST", "lose")
        tenantry = Tenantry(BASE, tokens=Tokens("of.another.day", before.refresh), transport=network)
        self.assertEqual(result(tenants_list.sync(client=tenantry))[0].id, DEMO["tenant"])
        self.assertEqual([one.url.path for one in network.seen].count("/v1/auth/refresh/"), 2)

    def test_when_the_renewal_is_refused_too_the_sign_in_is_over(self) -> None:
        kept: list[Tokens | None] = []
        tenantry = Tenantry(BASE, tokens=Tokens("of.another.day", "of.another.day"), on_tokens=kept.append)
        self.refused(tenantry, "token_not_valid")
        self.assertEqual(kept, [None])

    def test_a_platform_may_lie_under_a_path(self) -> None:
        seen: list[httpx.Request] = []

        def answer(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return httpx.Response(401, json={"detail": "No."})

        tenantry = Tenantry("http://platform.test/stage", tokens=Tokens("old", "old"), transport=httpx.MockTransport(answer))
        with self.assertRaises(TenantryError):
            clients_create.sync(client=tenantry, body=ClientsCreateRequest(name="", phone=""))
        self.assertEqual([one.url.path for one in seen], ["/stage/v1/crm/clients/", "/stage/v1/auth/refresh/"])
        self.assertIn("Idempotency-Key", seen[0].headers)
        self.assertNotIn("Authorization", seen[1].headers)
        self.assertIsNone(tenantry.tokens)

    def test_what_never_arrives_is_raised_as_it_is(self) -> None:
        with self.assertRaises(httpx.ConnectError):
            tenants_list.sync(client=Tenantry("http://127.0.0.1:1", tries=2))
