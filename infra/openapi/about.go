package openapi

// about describes what is true of every operation.
const about = `The API of a multi-tenant business platform for rental and sales companies. Each company is a tenant, and every
request runs in the context of one.

**Sign-in.** ` + "`POST /v1/auth/login/`" + ` gives an access token for the header ` + "`Authorization: Bearer …`" + ` and a refresh token.

**Feeds.** A program that writes into a company for others, such as a registry, has a feed token instead, which the owner makes at
` + "`POST /v1/crm/settings/feed_tokens/`" + `. It opens the operations that name it, in its own company, and no others: 403.

**Company.** ` + "`X-Tenant-Id`" + ` chooses it. Without the header it is the company whose domain is the host of the request or of
` + "`Origin`" + `, else the caller's only one. A company that is not the caller's is 403, whether it exists or not. Where a caller
has several and nothing says which is meant, the answer is 403 with the code ` + "`company_required`" + `;
` + "`GET /v1/tenant/`" + ` lists them.

**Paths** end in a slash. Without it the answer is a redirect: 301 to GET and HEAD, 308 to other methods. Every path takes
OPTIONS, and HEAD where it takes GET; another method is 405 with ` + "`Allow`" + `.

**Bodies** are JSON in UTF-8 unless an operation names other media types, at most 4 MB and 64 levels deep; those of
operations without a token at most 64 KB, unless they take files or signatures. Unknown and read-only keys are ignored.
Integers are taken as numbers or texts, booleans also as texts or 0 and 1, texts are trimmed. PUT needs the required
fields and leaves optional ones that
are not sent as they are; PATCH takes any of them. ` + "`extra`" + ` is kept as it is sent (but a
date-time without an offset, in a custom field of that type, as the moment in UTC), and
replaced as a whole; custom fields within it take a JSON integer or boolean, never its text;
numbers in ` + "`extra`" + ` lie within ±(2^53−1) and have at most 17 significant digits. ` + "`tenant`" + ` in a body can only name the
request's own company.

**References** are ids of records of the same company. A record that is deleted leaves every list; records that name it keep its id.

**Answers** are JSON, and every field is always there; without a value it is null. Date-times are UTC with Z. Answers over 1 KiB
are compressed with gzip for callers that accept it. An answer over 5 MB is 400 on ` + "`pageSize`" + `.

**Lists** in pages have ` + "`count`, `next`, `previous`, `results`" + `; ` + "`next`" + ` and ` + "`previous`" + ` keep the other
query parameters. Of a query parameter that is repeated the last one counts, but those that take several values are joined:
` + "`id__in=1&id__in=2`" + ` is ` + "`id__in=1,2`" + `. Empty values, unknown names in ` + "`ordering`" + ` and a
` + "`pageSize`" + ` that is no number are ignored. Wrong values of filters are 400, all at once. A page that does not exist is 404.

**Unknown query parameters** are ignored. With the header ` + "`Prefer: handling=strict`" + ` (RFC 7240) every operation refuses them:
400 under their names, with the known name that is nearest. Its answer has ` + "`Preference-Applied: handling=strict`" + `.

**Filters.** Where a list names ` + "`x`" + ` among its parameters, ` + "`x`" + ` is equal to a value, ` + "`x__in`" + ` one of
several, separated by commas, ` + "`x__gte`" + ` and ` + "`x__lte`" + ` at least and at most that, both inclusive, and
` + "`x__isnull=true`" + ` without a value. Booleans are true or false, also 1 or 0. A date-time without an offset is the company's
local time; of a date alone ` + "`__gte`" + ` takes the beginning and ` + "`__lte`" + ` the end. Phones, IINs and BINs compare as
numbers.

**Search.** Each word of ` + "`search`" + `, up to 32 between spaces, must be somewhere in the record's searched texts: its name,
and what the operation names. Words of digits are also sought in phones, IINs and other numbers, whatever signs these are typed with
(but for spaces, which part words). ё is е. ` + "`ordering=-rank`" + ` puts the best first: each word counts 0 where it is whole, 1
at a beginning, 2 in the middle, whatever signs, as quotes, are around it; then the newest. Without ` + "`search`" + ` it changes nothing.

**Orders.** ` + "`ordering`" + ` takes names separated by commas, ` + "`-`" + ` before a name for descending. Records without a
value come last, in a descending order first. What is equal in all of them is ordered newest first. Names follow the Kazakh and
Russian alphabet. ` + "`id`" + ` decides everything, so nothing counts after it. ` + "`created_at`" + ` alone, or last, orders as
` + "`id`" + ` does, because ids are given out in the order of creation.

**When a change is found.** Lists and searches may lag about a second behind changes; reading one record never does. A caller's own
change is found at once by the instance of the function that made it. That is nearly always the one that answers a caller's next
request; when several requests run at the same time, another one may answer. While the search of more than 10,000 records is
prepared, as at the first one, or after a restore, it is 503 with the code ` + "`search_preparing`" + ` and ` + "`Retry-After`" + `.

**Custom fields in lists.** Lists that are searched are filtered by the custom fields of their records that have ` + "`filter`" + `:
` + "`extra__<name>`" + `, and with ` + "`__in`, `__isnull`" + `, and but for booleans ` + "`__gte`" + ` and ` + "`__lte`" + `,
after the name. Fields that have ` + "`table`" + ` order them: ` + "`ordering=-extra__<name>`" + `. Those of an item's car are
` + "`car__extra__<name>`" + `; where several of its keys define one name, they find the cars, scooters and motorcycles
together. A date-time without an offset is the company's local time, and is stored as the moment that it is. A flag is refused where
it would have no effect:
of the type html, and of keys whose records no list filters. Texts compare whole, without case and with ё as е. A text
of more than 256 bytes, and what is not of the field's type, counts as no value. Other names are ignored. In a list of more than 200
records a field that is new, or has another name or type, is prepared for some seconds: until then filters and orders that name it
are 503 with the code ` + "`search_preparing`" + `.

**Allowances.** Lists that are searched, filtered or ordered by other fields than id and created_at, counts and schedules made of
them, exports and imports are charged for what they read, in units of the table: a search costs some 5 to 15, however many records
there are, and half a unit to one and a half for each record of its page. Within the minutes after a mass of single changes it costs
some 2 more for each hundred of them. A user and a company have an allowance each, which comes
back evenly within an hour. While nothing is left of one, such a request is 429 with the code ` + "`read_allowance`" + ` and
` + "`Retry-After`" + `; it and answers with less than a fifth left say in ` + "`RateLimit`" + ` how much it is, and in
` + "`RateLimit-Policy`" + ` how much there can be. Pages of plain lists are charged where ` + "`pageSize`" + ` is over 100;
smaller ones, and all other operations, are never refused for it.

**Repeating.** A POST that takes ` + "`Idempotency-Key`" + ` can be sent again when no answer came: it happens once, and the answer is the
first one's. **Changes** that others made meanwhile are not lost: ` + "`ETag`" + ` names what was read,
` + "`If-Match`" + ` sends it with a change, and the
answer is 412 where the record is another by now.

A list shows no revisions: read the record before a change with ` + "`If-Match`" + `.

**Codes.** Where a program has to tell errors of one status apart, there is a ` + "`code`" + `:
` + "`token_not_valid`" + ` (401); ` + "`company_required`, `cross_login`, `host_only`" + ` (403);
` + "`locked`, `in_progress`, `import_running`, `last_owner`, `sum_too_large`, `currency`, `default`" + ` and those below (409);
` + "`key_reused`" + ` (422); ` + "`read_allowance`" + ` (429);
` + "`too_many_changes`, `record_too_large`, `export_too_long`, `period_too_long`" + `,
` + "`identity_unknown`, `identity_taken`, `identity_linked`, `email_unverified`, `sms_balance`, `sms_provider`, `country`" + `,
` + "`no_file`" + ` (400); ` + "`search_preparing`" + ` (503).

- ` + "`held`" + `: other records need this one; held_by counts them
- ` + "`overlap`" + `: the item is occupied at that time; conflicts says by what
- ` + "`in_use`" + `: the item can't go out of use; conflicts says what needs it
- ` + "`past`" + `: the time begins before what is still known of the item's past
- ` + "`closed`" + `: the item is deleted or out of use
- ` + "`calendar_full`" + `: 200 times of the item are not over
- ` + "`status`" + `: the order is in a status that does not allow it; allowed lists those to which an action may bring it.
  Of a sign: status is its own
- ` + "`signed`" + `: everybody has signed the document, so its signs don't change any more; or somebody has, so its name and links don't
- ` + "`withdrawn`" + `: the company has withdrawn the document, so nobody signs or rejects it any more
- ` + "`removed`" + `: so many signs with a history were removed from the document that no other can be
- ` + "`sms_unavailable`" + `: the company can't send the signer a code at the moment
- ` + "`changed`" + `: the document has changed since it was read
- ` + "`method`" + `: the sign can't be signed by this method; method_allowed lists those that it can
- ` + "`stages`" + `: the sign has been through so much that it can only be signed or rejected
- ` + "`links`" + `: the link of the sign was sent 20 times
- ` + "`link_expired`" + ` (404): the link of the sign lives no more, until the company sends it again; who has signed asks for the document
- ` + "`phone`" + `: the signer has no telephone
- ` + "`signer`" + `: the company is a signer already
- ` + "`out`" + `: the item of the line was handed out
- ` + "`returned`" + `: the item of the line was taken back, or a part of the deposit was returned or withheld
- ` + "`paid`" + `: money was paid for the order, or the referral was paid
- ` + "`deposit`" + `: the order has a deposit that was not returned
- ` + "`agent`" + `: the referral has no agent who could be paid
- ` + "`referral_paid`" + `: a referral of the order was paid
- ` + "`too_many_lines`" + `: the order has more lines than one call can change
- ` + "`request`" + `: the lead has an order already; request is its id
- ` + "`deleted`" + `: the order that was paid is deleted
- ` + "`unpaid`" + `: this is more than what is left of what was paid for the order
- ` + "`owned`" + `: another record has posted this, and changes it; an order's payment is refunded, a penalty's charge taken back
- ` + "`charged`" + `: the traffic penalty is charged to an order already, or can't be deleted because it is
- ` + "`unmatched`" + `: the traffic penalty belongs to no order
- ` + "`refunded`" + `: the transaction has refunds: delete them first

Of a PDF that is to be signed (400): ` + "`not_pdf`, `encrypted`, `active`, `too_large`, `too_many_pages`" + `, and
` + "`signed`" + ` where it is signed already. Of what is printed (400): ` + "`letter`" + `, where the fonts lack one of its letters.

Of signatures by eGov (400), of the CMS: ` + "`cms_too_large`, `cms_malformed`, `cms_attached`, `cms_no_signer`" + `,
` + "`cms_signers`, `cms_attributes`, `cms_hash`, `cms_key`, `cms_pss`" + `,
` + "`cms_gost_2004`, `cms_algorithm`, `cms_signature`, `cms_document`, `cms_time`" + `; of its certificate:
` + "`certificate_missing`, `certificate_untrusted`, `certificate_usage`" + `,
` + "`certificate_expired`, `certificate_not_yet`, `certificate_revoked`, `certificate_unknown`" + `,
` + "`certificate_person`, `certificate_of_person`, `certificate_of_organisation`, `certificate_right`" + `,
` + "`signer_number`" + `. The certification centre can't be asked:
` + "`nca_unreachable`" + ` (503). Signing by eGov is not set up: ` + "`nca_off`" + `
(409). A CMS has signed already, here or in another document of the company: ` + "`cms_used`" + ` (409).

**Errors** have a ` + "`detail`" + `, or messages under the names of fields. A field's messages never take the place of another
member, such as ` + "`code`" + `: where a field has such a name, the messages of all fields are in ` + "`errors`" + `.
A record of another company is 404, as one that does not exist.
Every answer has ` + "`X-Request-Id`" + `.`
