"""Calls of a platform: pages, repetitions, errors, uploads."""

import datetime
import io
import time
import unittest
import uuid

import httpx
from platform_under_test import BASE, DEMO, Unreliable, signed_in

from tenantry import Tenantry, TenantryError, pages, records, result
from tenantry_client.api.clients import clients_create, clients_list, clients_patch, clients_read
from tenantry_client.api.documents import documents_create
from tenantry_client.api.inventory import inventory_items_list, inventory_items_patch, inventory_items_read
from tenantry_client.api.orders import orders_create
from tenantry_client.api.settings import keys_create
from tenantry_client.api.tenants import tenants_list
from tenantry_client.models import (
    ClientsCreateRequest, ClientsPatchRequest, DocumentsCreateRequest, DocumentsCreateRequestMultipart,
    DocumentsCreateRequestMultipartSource,
    DocumentsCreateRequestSource, InventoryItemsPatchRequest, KeysCreateRequest, KeysCreateRequestScopesItem,
    OrdersCreateRequest, OrdersCreateRequestInventory,
    OrdersCreateRequestStatus,
)
from tenantry_client.types import File

PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""


class Always(httpx.BaseTransport):
    """What gives one answer to all."""

    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer


class Calls(unittest.TestCase):
    network: Unreliable
    tenantry: Tenantry

    @classmethod
    def setUpClass(cls) -> None:
        cls.network = Unreliable()
        cls.tenantry = signed_in(cls.network)

    def make(self, name: str) -> int:
        return result(clients_create.sync(client=self.tenantry, body=ClientsCreateRequest(name=name))).id

    def test_a_list_has_the_records_of_all_its_pages(self) -> None:
        count = result(clients_list.sync(client=self.tenantry)).count
        listed = list(pages(lambda page: clients_list.sync(client=self.tenantry, ordering="id", page=page, page_size=3)))
        self.assertGreater(count, 6)
        self.assertEqual(len(listed), -(-count // 3))
        ids = [one.id for page in listed for one in page.results]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(len(ids), count)

        since = len(self.network.seen)
        for one in records(lambda page: clients_list.sync(client=self.tenantry, ordering="id", page=page, page_size=3)):
            if one.id == ids[3]:
                break
        self.assertEqual(self.network.sent("GET", since)[0], 2, "pages that nobody needs were asked for")

    def test_a_create_with_the_same_key_happens_once(self) -> None:
        key, body = str(uuid.uuid4()), ClientsCreateRequest(name="The same")
        one = result(clients_create.sync(client=self.tenantry, body=body, idempotency_key=key))
        other = result(clients_create.sync(client=self.tenantry, body=body, idempotency_key=key))
        self.assertEqual(one.id, other.id)
        self.assertNotEqual(self.make("The same"), one.id)

    def test_a_create_is_sent_again_with_its_key_and_happens_once(self) -> None:
        for fates in (["503", "503"], ["lose"], ["cut"]):
            with self.subTest(fates):
                name = f"Client {uuid.uuid4()}"
                since = self.network.fates("POST", *fates)
                made = self.make(name)
                times, keys = self.network.sent("POST", since)
                self.assertEqual(times, len(fates) + 1)
                self.assertEqual(len(keys), 1)
                self.assertNotIn(None, keys)
                self.assertEqual(result(clients_read.sync(made, client=self.tenantry)).name, name)
                found = result(clients_list.sync(client=self.tenantry, search=name)).results
                self.assertEqual([one.id for one in found], [made])

    def test_tries_have_an_end(self) -> None:
        since = self.network.fates("GET", *["503"] * 5)
        with self.assertRaises(TenantryError) as raised:
            tenants_list.sync(client=self.tenantry)
        self.assertEqual((raised.exception.status, raised.exception.code), (503, None))
        self.assertEqual(self.network.sent("GET", since)[0], 4)

    def test_what_may_not_happen_twice_is_sent_once(self) -> None:
        since = self.network.fates("POST", "lose")
        with self.assertRaises(httpx.ReadError):
            keys_create.sync(
                client=self.tenantry, body=KeysCreateRequest(name="ERP", scopes=[KeysCreateRequestScopesItem.CLIENTSREAD], password="x")
            )
        made = self.make("Conditional")
        self.assertEqual(self.network.sent("POST", since)[0], 2)
        since = self.network.fates("PATCH", "503")
        with self.assertRaises(TenantryError):
            clients_patch.sync(made, client=self.tenantry, body=ClientsPatchRequest(name="Changed"), if_match="*")
        self.assertEqual(self.network.sent("PATCH", since)[0], 1)

    def test_errors_of_fields_have_their_pointer_and_code_in_the_language_that_was_chosen(self) -> None:
        self.tenantry.language = "ru"
        try:
            with self.assertRaises(TenantryError) as raised:
                clients_create.sync(client=self.tenantry, body=ClientsCreateRequest(name="", phone="12"))
        finally:
            self.tenantry.language = None
        error = raised.exception
        self.assertEqual((error.status, error.code, str(error)), (400, "invalid", "Проверьте отмеченные поля."))
        self.assertEqual([(one.pointer, one.code) for one in error.errors], [("/name", "blank"), ("/phone", "invalid_phone")])
        self.assertTrue(error.request_id)

    def test_who_comes_second_is_told_what_is_in_the_way(self) -> None:
        start, end = (datetime.datetime(2031, 4, day, 9, tzinfo=datetime.UTC) for day in (1, 3))
        car = result(inventory_items_list.sync(client=self.tenantry, car=True, free=True, start_at=start, end_at=end)).results[0]
        client = result(clients_list.sync(client=self.tenantry, page_size=1)).results[0]
        body = OrdersCreateRequest(
            client=client.id, status=OrdersCreateRequestStatus.VALUE_1, rent_start=start, rent_end=end,
            inventories=[OrdersCreateRequestInventory(inventory=car.id)],
        )
        result(orders_create.sync(client=self.tenantry, body=body))
        with self.assertRaises(TenantryError) as raised:
            orders_create.sync(client=self.tenantry, body=body)
        self.assertEqual((raised.exception.status, raised.exception.code), (409, "overlap"))
        self.assertEqual(raised.exception.problem["conflicts"][0]["inventory"], car.id)

    def test_who_changes_what_has_changed_is_told_of_that(self) -> None:
        one = result(inventory_items_list.sync(client=self.tenantry, ordering="id", page_size=1)).results[0]
        etag = inventory_items_read.sync_detailed(one.id, client=self.tenantry).headers["ETag"]
        with self.assertRaises(TenantryError) as raised:
            inventory_items_patch.sync(one.id, client=self.tenantry, body=InventoryItemsPatchRequest(unique_id="X"), if_match='"999999"')
        self.assertEqual((raised.exception.status, raised.exception.problem["etag"]), (412, etag))

    def test_a_file_is_uploaded_and_becomes_a_document(self) -> None:
        file = self.tenantry.upload(PDF, "Scan.pdf", "application/pdf")
        document = result(documents_create.sync(
            client=self.tenantry, body=DocumentsCreateRequest(source=DocumentsCreateRequestSource.VALUE_1, file=file)
        ))
        self.assertEqual((document.name, len(document.files)), ("Scan.pdf", 1))

    def test_a_form_with_a_file_becomes_a_document(self) -> None:
        document = result(documents_create.sync(client=self.tenantry, body=DocumentsCreateRequestMultipart(
            source=DocumentsCreateRequestMultipartSource.VALUE_1, name="Scan", regenerate=False,
            file=File(io.BytesIO(PDF), "Scan.pdf", "application/pdf"),
        )))
        self.assertEqual((document.name, len(document.files)), ("Scan", 1))

    def test_events_are_told_until_none_is_new(self) -> None:
        before = list(self.tenantry.events())
        self.assertGreater(len(before), 0)
        self.assertEqual([one.id for one in before], sorted(one.id for one in before))
        made = self.make("Of an event")
        new: list[str] = []
        for _ in range(100):  # they are there about a second later, and those of other tests may be there before
            new = [one.object_ for one in self.tenantry.events(str(before[-1].id), ["client.created"])]
            if f"client:{made}" in new:
                break
            time.sleep(0.2)
        self.assertIn(f"client:{made}", new)

    def test_what_something_on_the_way_answers_is_an_error_without_a_code(self) -> None:
        answers = {
            "a redirect": httpx.Response(301, headers={"Location": "https://example.com/"}),
            "a page to sign in": httpx.Response(302, headers={"Location": "https://example.com/"}),
            "errors of another kind": httpx.Response(403, json={"errors": [{"message": "no route"}], "params": None}),
            "a code of another kind": httpx.Response(403, json={"code": 1020, "errors": ["no route"]}),
            "no object": httpx.Response(403, json=["no route"]),
        }
        for what, answer in answers.items():
            with self.subTest(what):
                tenantry = Tenantry(BASE, key="tnt_key_x", transport=Always(answer))
                with self.assertRaises(TenantryError) as raised:
                    tenants_list.sync(client=tenantry)
                error = raised.exception
                self.assertEqual((error.status, error.code, error.errors, error.params), (answer.status_code, None, [], {}))

    def test_what_has_not_changed_is_no_error(self) -> None:
        one = result(inventory_items_list.sync(client=self.tenantry, ordering="id", page_size=1)).results[0]
        etag = inventory_items_read.sync_detailed(one.id, client=self.tenantry).headers["ETag"]
        self.assertEqual(inventory_items_read.sync_detailed(one.id, client=self.tenantry, if_none_match=etag).status_code, 304)

    def test_a_file_has_an_address_and_who_asks_for_it_is_led_there(self) -> None:
        file = self.tenantry.upload(PDF, "Scan.pdf", "application/pdf")
        document = result(documents_create.sync(
            client=self.tenantry, body=DocumentsCreateRequest(source=DocumentsCreateRequestSource.VALUE_1, file=file)
        ))
        path = f"/v2/documents/{document.id}/documents/{document.files[0].id}/"
        asked = self.tenantry.get_httpx_client()
        self.assertEqual(httpx.get(asked.get(path).json()["url"]).content[:4], b"%PDF")
        led = asked.get(path, headers={"Accept": "application/pdf"})
        self.assertEqual(led.status_code, 302)
        self.assertEqual(httpx.get(led.headers["Location"]).content[:4], b"%PDF")

    def test_what_would_copy_the_client_says_what_to_do_instead(self) -> None:
        with self.assertRaisesRegex(TypeError, "no copy with other headers"):
            self.tenantry.with_headers({})
        with self.assertRaisesRegex(TypeError, "no copy with other cookies"):
            self.tenantry.with_cookies({})
        with self.assertRaisesRegex(TypeError, "no copy with another timeout"):
            self.tenantry.with_timeout(httpx.Timeout(1))

    def test_the_company_is_sent(self) -> None:
        self.tenantry.company = 999_999
        try:
            with self.assertRaises(TenantryError) as raised:
                clients_list.sync(client=self.tenantry)
        finally:
            self.tenantry.company = None
        self.assertEqual((raised.exception.status, raised.exception.code), (403, "permission_denied"))

    def test_what_no_operation_has_typed_is_sent_too(self) -> None:
        sheet = self.tenantry.get_httpx_client().get(f"/v1/tenant/{DEMO['tenant']}/usage/", headers={"Accept": "text/csv"})
        self.assertTrue(sheet.headers["Content-Type"].startswith("text/csv"), sheet.headers["Content-Type"])
