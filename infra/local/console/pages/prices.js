// The page of a quote: what a rental would cost, and each step to it. It asks the API as any client does.
'use strict';

const HOUR = DAY / 24;
const form = find('ask');
let company;
let itemName; // by id

const byName = new Intl.Collator('en', { numeric: true }).compare;
const named = (list) => new Map(list.map((one) => [one.id, one.name]));
const option = (value, text) => make('option', { value }, text);

// --- What can be asked.

async function prepare() {
  company = await readCompany();
  find('company').textContent = `${company.name}, ${zone}, ${company.currency}`;
  const [items, groups, services, discounts] = await Promise.all(
    ['inventories', 'groups', 'services', 'discounts'].map((list) => all(`/v1/crm/${list}/`)),
  );
  itemName = named(items);
  const groupName = named(groups);
  const members = new Map();
  for (const item of items) members.set(item.group, [...(members.get(item.group) || []), item]);
  form.of.append(...[...members].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)).map(([group, list]) => make('optgroup', {
    label: groupName.get(group) || 'Without a group',
  }, ...(group === null ? [] : [option(`group-${group}`, `Any of ${groupName.get(group)}`)]),
  ...list.sort((a, b) => byName(a.name, b.name)).map((item) => option(`item-${item.id}`, item.name)))));
  for (const [select, list] of [[form.service, services], [form.discount, discounts]]) {
    select.append(...list.sort((a, b) => byName(a.name, b.name)).map((one) => option(one.id, one.name)));
  }
  const tomorrow = Date.parse(shift(dayOf(Date.now()), 1)) + 10 * HOUR;
  const clock = (at) => new Date(at).toISOString().slice(0, 16);
  const asked = { start: clock(tomorrow), end: clock(tomorrow + 3 * DAY), ...Object.fromEntries(new URLSearchParams(location.search)) };
  for (const [name, value] of Object.entries(asked)) if (form.elements.namedItem(name)) form.elements.namedItem(name).value = value;
  if (!form.of.value) form.of.selectedIndex = 0;
  form.hidden = false;
}

// address is that of this page, with what is asked.
const address = (of) => `/_local/prices?${new URLSearchParams({ ...Object.fromEntries(new FormData(form)), ...of })}`;

// chosen returns the item that is asked for. Of a group it is one that is free, or any: its price is the same.
async function chosen() {
  const [kind, id] = form.of.value.split('-');
  if (kind === 'item') return Number(id);
  const query = { group: id, ordering: 'id', pageSize: 1 };
  for (const more of [{ free: true, start_at: form.start.value, end_at: form.end.value }, {}]) {
    const { results } = await read(`/v1/crm/inventories/?${new URLSearchParams({ ...query, ...more })}`);
    if (results.length) return results[0].id;
  }
  throw new Error('The group has no items any more.');
}

async function ask() {
  find('quote').hidden = true;
  find('says').textContent = 'Asking …';
  history.replaceState(null, '', address());
  try {
    const body = { rent_start: form.start.value, rent_end: form.end.value, inventories: [{ inventory: await chosen() }] };
    if (form.service.value) body.services = [{ service: Number(form.service.value) }];
    if (form.discount.value) body.discount = Number(form.discount.value);
    if (form.tax.value) body.tax_percent = form.tax.value;
    show(body, await read('/v1/crm/requests/quote/', { method: 'POST', body: JSON.stringify(body) }));
    find('says').textContent = '';
  } catch (error) {
    find('says').textContent = `There is no quote: ${error.body ? reasons(error.body).join(' ') : error.message}`;
  }
}

// reasons are what a refusal says, each with the field that it is about.
const reasons = (of, fields = []) => (typeof of !== 'object' || of === null ? [`${fields.join(' ')}: ${of}`]
  : Object.entries(of).flatMap(([field, inner]) => reasons(inner, /^\d+$/.test(field) || field === 'detail' ? fields : [...fields, field])))
  .map((reason) => reason.replace(/^: /, ''));

// --- What is answered. Amounts are whole cents here, so that their sums are exact.

const cents = (text) => BigInt(text.replace('.', ''));
const written = (sum) => {
  const digits = String(sum < 0n ? -sum : sum).padStart(3, '0');
  return `${sum < 0n ? '−' : ''}${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ' ')}.${digits.slice(-2)}`;
};
const amount = (text) => written(cents(text));
const clocks = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
const moment = (at) => (at === null ? '…' : format(clocks)(at));
const time = (of) => `${moment(of.start_at)} – ${moment(of.end_at)}`;

// These say something of the price and add nothing to it.
const besides = ['tax_included', 'fees'];

function show(body, quote) {
  find('free').replaceChildren(...quote.inventories.flatMap(free));
  find('totals').replaceChildren(...[
    ['Items', cents(quote.price_inventory)], ['Services', cents(quote.price_service)], ['Discounts', -cents(quote.price_discount)],
    ['Tax', cents(quote.tax), `${Number(quote.tax_percent)} %, ${quote.tax_included ? 'inside the price' : 'added'}`],
    ['Price', cents(quote.price), company.currency],
  ].map(([name, sum, more]) => make('div', {}, make('dt', {}, name), make('dd', {}, written(sum), more ? make('small', {}, more) : null))));
  const head = ['step', 'in words', 'times', '%', 'amount', 'adds up to'];
  find('steps').replaceChildren(
    make('thead', {}, make('tr', {}, ...head.map((text, i) => make('th', { scope: 'col', className: i > 1 ? 'number' : '' }, text)))),
    ...quote.inventories.map((line) => rows(
      itemName.get(line.inventory), `${time(line)}, ${terms(line)}`, line.steps, 'The line', line.net,
    )),
    ...quote.services.map((line) => rows(line.service_name, terms(line), line.steps, 'The line', line.net)),
    rows('The whole order', quote.available ? 'all items are free' : 'not all items are free', quote.steps, 'The price', quote.price),
  );
  find('request').textContent = `POST /v1/crm/requests/quote/\n${JSON.stringify(body, null, 2)}`;
  find('answer').textContent = JSON.stringify(quote, null, 2);
  find('quote').hidden = false;
}

function free(line) {
  const name = itemName.get(line.inventory);
  if (line.available) return [make('li', { className: 'good' }, `${name} is free for this time.`)];
  const other = (item) => make('a', { href: address({ of: `item-${item.id}` }) }, item.name);
  return [
    make('li', { className: 'bad' }, `${name} is not free: ${line.conflicts.map((one) => (one.block ? `blocked ${time(one)}`
      : `order ${one.request}, ${time(one)}${one.overdue ? ', overdue' : ''}`)).join('; ')}.`),
    make('li', {}, line.alternatives.length ? 'Free instead: ' : 'Nothing of its group is free instead.',
      ...line.alternatives.flatMap((item, i) => [i ? ', ' : '', other(item)])),
  ];
}

const terms = (line) => `${line.tarif_name === null ? 'no tariff' : `tariff “${line.tarif_name}”`}, ${amount(line.tarif_price)}`;

// rows are the steps to an amount, with what they add up to. It is said if that is another amount.
function rows(title, about, steps, result, amountText) {
  const number = (text, more = '') => make('td', { className: `number ${more}` }, text);
  let sum = 0n;
  const list = steps.map((step) => {
    const adds = !besides.includes(step.kind);
    if (adds) sum += cents(step.amount);
    const of = step.tarif ?? step.rule;
    const times = [step.units, step.count === 1 ? null : step.count].filter((n) => n !== null).join(' × ');
    return make('tr', {}, make('td', { className: 'soft' }, step.kind.replaceAll('_', ' '), of ? ` ${of}` : ''), make('td', {}, step.text),
      number(times), number(step.percent === null ? '' : String(Number(step.percent))),
      number(amount(step.amount), adds ? '' : 'soft'), number(adds ? written(sum) : ''));
  });
  const right = sum === cents(amountText);
  return make('tbody', {}, make('tr', {}, make('th', { scope: 'rowgroup', colSpan: 6 }, title, make('small', {}, about))), ...list,
    make('tr', { className: 'sum' }, make('th', { scope: 'row', colSpan: 4 }, result), number(amount(amountText)),
      right ? number('') : number(`not ${written(sum)}`, 'bad')));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
prepare().then(ask, (error) => { find('says').textContent = `What can be rented can't be read: ${error.message}`; });
