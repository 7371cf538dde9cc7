// The page of the demo company's fleet.
'use strict';

const DAYS = 14;
const SHORT = 0.4; // of a day: what is shorter shows no text
const KEPT = 30; // days ago that a schedule may begin; the API takes 31 times 24 hours
const statuses = ['request', 'reserved', 'in rent', 'cancelled', 'completed', 'debtor'];

// firstDay is the day that the address names; without one, the Monday from which today is well in the picture.
function firstDay(today) {
  const asked = new URLSearchParams(location.search).get('start');
  if (/^\d{4}-\d\d-\d\d$/.test(asked) && !Number.isNaN(Date.parse(asked))) return asked;
  const near = shift(today, -3);
  return shift(near, -((new Date(near).getUTCDay() + 6) % 7));
}

const HOUR = DAY / 24;

// until tells when a hold ends: the day of the week is enough where it can be no other.
function until(at) {
  return Date.parse(at) - Date.now() < 6 * DAY ? format({ weekday: 'short', hour: '2-digit', minute: '2-digit' })(at) : moment(at);
}

// left tells how long a hold still lasts.
function left(time) {
  if (time < HOUR) return `${Math.max(1, Math.round(time / HOUR * 60))} min`;
  return time < 1.5 * DAY ? `${Math.round(time / HOUR)} h` : `${Math.round(time / DAY)} d`;
}

const moment = (at) => (at === null ? '…' : format({ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })(at));

// --- The picture.

async function load() {
  await readCompany();
  const now = Date.now();
  const today = dayOf(now);
  const oldest = shift(today, -KEPT);
  let first = firstDay(today);
  if (first < oldest) first = oldest;
  const period = { start_at: first, end_at: shift(first, DAYS - 1) };
  const instant = (day) => new Date(begin(day)).toISOString();
  const [items, groups, orders, clients, exchanges] = await Promise.all([
    all('/v1/crm/inventories/schedules/', { ...period, active: true }), all('/v1/crm/groups/'), all('/v1/crm/requests/', period),
    all('/v1/crm/clients/'),
    all('/v1/crm/requests/exchanges/', { datetime__gte: instant(first), datetime__lte: instant(shift(first, DAYS)) }),
  ]);
  const picture = {
    now, today, first, items, groups, orders: byID(orders), clients: byID(clients), swaps: swapsOf(exchanges), bars: new Map(),
  };
  // What is overdue was planned for an earlier time, so that the list of orders may not have it.
  const missing = new Set(items.flatMap((item) => item.intervals).map((one) => one.request).filter((id) => id && !picture.orders.has(id)));
  for (const order of await Promise.all([...missing].map((id) => read(`/v1/crm/requests/${id}/`)))) picture.orders.set(order.id, order);
  weeks(first, oldest);
  draw(picture);
}

const byID = (list) => new Map(list.map((one) => [one.id, one]));

// swapsOf are exchanges by the line that ended, and by the one that went on.
const swapsOf = (exchanges) => ({
  from: new Map(exchanges.map((exchange) => [exchange.order_inventory_from, exchange])),
  to: new Map(exchanges.map((exchange) => [exchange.order_inventory_to, exchange])),
});

function weeks(first, oldest) {
  const last = shift(first, DAYS - 1);
  const short = format({ day: 'numeric', month: 'short' });
  find('range').textContent = `${short(begin(first))} – ${format({ day: 'numeric', month: 'short', year: 'numeric' })(begin(last))}`;
  const link = (id, day) => { find(id).href = `/_local/schedule?start=${day}`; };
  if (first > oldest) link('before', shift(first, -7) < oldest ? oldest : shift(first, -7));
  else find('before').removeAttribute('href');
  link('after', shift(first, 7));
}

function draw(picture) {
  const { first, today, now } = picture;
  const days = Array.from({ length: DAYS }, (_, i) => shift(first, i));
  const bounds = [...days, shift(first, DAYS)].map(begin);
  // place tells where a moment is in the picture: 0 is its left end, and 1 its right end.
  picture.place = (at) => {
    if (at <= bounds[0]) return 0;
    const i = bounds.findIndex((bound) => at < bound) - 1;
    return i < 0 ? 1 : (i + (at - bounds[i]) / (bounds[i + 1] - bounds[i])) / DAYS;
  };
  picture.from = bounds[0];
  picture.until = bounds[DAYS];
  const marks = (day) => [day === today && 'today', [0, 6].includes(new Date(day).getUTCDay()) && 'weekend'].filter(Boolean).join(' ');
  const back = make('div', { className: 'columns', ariaHidden: 'true' }, ...days.map((day) => make('i', { className: marks(day) })));
  if (now >= picture.from && now < picture.until) {
    const line = make('b', { className: 'now' });
    line.style.left = `${100 * picture.place(now)}%`;
    back.append(line);
  }
  const head = make('div', { className: 'head' }, make('div', { className: 'name' }, 'Item'), make('div', { className: 'track' },
    ...days.map((day, i) => make('span', { className: marks(day) }, format({ weekday: 'short' })(bounds[i]), ' ',
      make('b', {}, format({ day: 'numeric' })(bounds[i]))))));
  const rows = sections(picture).flatMap(({ name, items }) => [
    make('h2', {}, make('span', {}, name)), make('ul', {}, ...items.map((item) => row(item, picture))),
  ]);
  const grid = find('grid');
  const moved = grid.hidden;
  grid.replaceChildren(make('div', { className: 'sheet' }, head, back, ...rows));
  grid.hidden = false;
  find('says').textContent = picture.items.length ? '' : 'The company has no items.';
  if (moved) { // on a narrow screen, today comes into view
    const track = head.lastChild;
    grid.scrollLeft = Math.max(0, picture.place(now) * track.clientWidth - track.clientWidth / DAYS * 1.5);
  }
}

// sections are the items by their groups.
function sections({ items, groups }) {
  const names = byID(groups);
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const list = new Map();
  for (const item of items) list.set(item.group, [...(list.get(item.group) || []), item]);
  return [...list].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)).map(([id, members]) => ({
    name: names.get(id)?.name || 'Without a group', items: members.sort((a, b) => compare(a.unique_id || a.name, b.unique_id || b.name)),
  }));
}

function row(item, picture) {
  const name = make('div', { className: 'name', title: item.name }, make('span', {}, item.name));
  return make('li', {}, name, make('div', { className: 'track' }, ...item.intervals.flatMap((one) => {
    const shown = bar(item, one, picture);
    return [holdEnd(one, picture), shown].filter(Boolean);
  })));
}

// state tells how an interval is shown.
function state(one, order, now) {
  if (one.block) return 'block';
  if (one.end_at === null) return 'sale';
  if (one.overdue) return 'overdue';
  if (one.out) return 'out';
  if (order?.status === 0) return 'asked';
  return Date.parse(one.end_at) <= now && order?.status !== 1 ? 'back' : 'planned';
}

// held is when the hold of a request ends, if it has one.
const held = (order) => (order?.status === 0 && order.expires_at ? Date.parse(order.expires_at) : null);

const holdText = (order) => (held(order) > Date.now() ? `held until ${until(order.expires_at)}` : 'hold has ended');

// holdEnd leads from the end of a hold, where it is in the picture, to the request.
function holdEnd(one, picture) {
  const at = held(picture.orders.get(one.request));
  if (at === null || at < picture.from || at >= picture.until) return null;
  const [here, there] = [picture.place(at), picture.place(Date.parse(one.start_at))];
  const lead = make('i', { className: 'hold', ariaHidden: 'true' });
  lead.style.left = `${100 * here}%`;
  lead.style.width = `${100 * Math.max(0, there - here)}%`;
  return lead;
}

// swapsOn are the swaps that a line came of, and that ended it.
function swapsOn(line, swaps, name) {
  const [next, before] = [swaps.from.get(line), swaps.to.get(line)];
  return [
    before && {
      at: before.datetime, line: before.order_inventory_from, item: name(before.inventory_from), how: 'instead of', why: before.reason,
    },
    next && { at: next.datetime, line: next.order_inventory_to, item: name(next.inventory_to), how: 'swapped for', why: next.reason },
  ].filter(Boolean);
}

const swapText = (swap) => `${swap.how} ${swap.item}: ${swap.why}`;

function bar(item, one, picture) {
  const order = picture.orders.get(one.request);
  const client = picture.clients.get(order?.client)?.name;
  const kind = state(one, order, picture.now);
  const start = Date.parse(one.start_at);
  const due = one.end_at === null ? Infinity : Date.parse(one.end_at);
  const end = kind === 'overdue' ? Math.max(due, picture.now) : due;
  const text = one.block ? one.reason || 'Blocked' : client || `Order ${order?.unique_id || one.request}`;
  const times = `${moment(one.start_at)} – ${moment(one.end_at)}`;
  const known = { asked: 'request', planned: 'reserved', block: 'blocked' };
  const ends = held(order);
  const more = swapsOn(one.line, picture.swaps, (id) => picture.items.find((other) => other.id === id)?.name || 'another item')
    .map(swapText);
  if (ends !== null) more.push(holdText(order));
  const shown = make('button', {
    type: 'button', className: `bar ${kind}`, title: [text, times, ...more].join('\n'),
    ariaLabel: [
      item.name, one.block ? null : `order ${order?.unique_id || one.request}`, text, known[kind] || kind, times, ...more,
    ].filter(Boolean).join(', '),
  }, make('span', {}, text));
  if (ends !== null) shown.firstChild.dataset.hold = ends > picture.now ? left(ends - picture.now) : 'ended'; // the style shows it
  const from = picture.place(start);
  const to = picture.place(end);
  shown.style.left = `${100 * from}%`;
  shown.style.width = `${100 * (to - from)}%`;
  if (kind === 'overdue') shown.style.setProperty('--due', `${100 * Math.max(0, picture.place(due) - from) / (to - from)}%`);
  shown.classList.toggle('short', to - from < SHORT / DAYS);
  shown.classList.toggle('continues', picture.swaps.to.has(one.line));
  shown.classList.toggle('continued', picture.swaps.from.has(one.line));
  shown.classList.toggle('earlier', start < picture.from);
  shown.classList.toggle('later', end > picture.until);
  shown.addEventListener('click', () => open(one, item, picture));
  if (one.line) picture.bars.set(one.line, shown);
  return shown;
}

// --- What is behind a bar.

async function open(one, item, picture) {
  const dialog = find('order');
  const show = (title, facts, ...more) => dialog.replaceChildren(
    make('h2', { id: 'order-title' }, title),
    make('table', { className: 'facts' }, make('tbody', {}, ...facts.filter(Boolean).map(([name, value]) => make('tr', {}, make('th', {
      scope: 'row',
    }, name), make('td', {}, value))))),
    ...more, make('form', { method: 'dialog' }, make('button', { type: 'submit', autofocus: true }, 'Close')),
  );
  const time = ['When', `${moment(one.start_at)} – ${moment(one.end_at)}`];
  if (one.block) {
    show('Blocked', [['Item', item.name], time, one.reason && ['Why', one.reason]]);
    dialog.showModal();
    return;
  }
  const known = picture.orders.get(one.request);
  show(`Order ${known?.unique_id || one.request}`, [['Client', picture.clients.get(known?.client)?.name || '…'], ['Item', item.name], time]);
  dialog.showModal();
  let order, swaps;
  try {
    let exchanges;
    [order, exchanges] = await Promise.all([
      read(`/v1/crm/requests/${one.request}/`), all('/v1/crm/requests/exchanges/', { request: one.request }),
    ]);
    swaps = swapsOf(exchanges);
  } catch (error) {
    dialog.append(make('p', { role: 'alert' }, error.message));
    return;
  }
  const name = (id) => order.inventories.find((line) => line.inventory?.id === id)?.inventory.name || 'another item';
  const client = order.inventories.find((line) => line.client)?.client;
  show(`Order ${order.unique_id}`, [
    ['Client', client?.name || 'none'], client?.phone && ['Phone', client.phone],
    ['Status', one.overdue ? `${statuses[order.status]}, overdue` : statuses[order.status]],
    held(order) !== null && (held(order) > Date.now()
      ? ['Held until', `${moment(order.expires_at)} (${left(held(order) - Date.now())} left)`] : ['Hold', 'has ended']),
    ['Price', amount(order.price)], Number(order.penalty_amount) > 0 && ['Fees', amount(order.penalty_amount)],
    ['Paid', amount(order.paid_amount)], Number(order.debt) > 0 && ['Owed', amount(order.debt)],
  ], make('ul', { className: 'lines' }, ...order.inventories.map((line) => make('li', { className: line.id === one.line ? 'this' : '' },
    make('b', {}, line.inventory?.name || 'a deleted item'), line.type === 1 ? ' (sale)' : '',
    make('span', {}, line.type === 1 ? moment(line.start_at) : `${moment(line.start_at)} – ${moment(line.end_at)}`),
    line.fact_start_at && make('span', {}, `handed out ${moment(line.fact_start_at)}`),
    line.fact_end_at && make('span', {}, `back ${moment(line.fact_end_at)}`),
    ...swapsOn(line.id, swaps, name).map((swap) => make('span', { className: 'swap' }, `⇄ ${moment(swap.at)} ${swapText(swap)} `,
      line.id === one.line && picture.bars.has(swap.line) ? pointer(picture.bars.get(swap.line), swap.item) : null))))));
}

// pointer leads from the dialog to another bar.
function pointer(to, item) {
  const shown = make('button', { type: 'button', ariaLabel: `Show ${item} in the schedule` }, 'Show');
  shown.addEventListener('click', () => {
    find('order').close();
    to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    to.focus({ preventScroll: true });
  });
  return shown;
}

const amount = (text) => Number(text).toLocaleString('en-GB', { minimumFractionDigits: 2 }).replaceAll(',', ' ');

async function refresh() {
  try {
    await load();
  } catch (error) {
    find('says').textContent = `The schedule can't be read: ${error.message}`;
  }
}

find('order').addEventListener('click', (event) => { // beside the dialog
  if (event.target === event.currentTarget) event.currentTarget.close();
});
// The picture stays true while somebody looks at it, but does not change under the fingers.
setInterval(() => {
  if (!document.hidden && !find('order').open && !find('grid').contains(document.activeElement)) refresh();
}, 60 * 1000);
refresh();
