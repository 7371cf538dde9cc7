"""The Tenantry API: sign-in, repeated calls, pages, uploads, errors with codes, and webhooks. Operations are in tenantry_client.api."""

from .answers import pages, records, result
from .client import Tenantry
from .errors import FieldProblem, TenantryError
from .session import Tokens
from .webhooks import WebhookError, verify_webhook

__all__ = [
    "FieldProblem", "Tenantry", "TenantryError", "Tokens", "WebhookError", "pages", "records", "result", "verify_webhook",
]
