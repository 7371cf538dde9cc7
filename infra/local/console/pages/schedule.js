// The company's fleet over two weeks: who has which item, and what is overdue, blocked, swapped or held.
import { html, useEffect, useRef, useState } from './htm.js';
import { all, read } from './api.js';
import { DAY, HOUR, begin, dayOf, shift, weekday } from './days.js';
import { listed, say } from './texts.js';
import { Dialog, Reading, Title, money, recordLink, useLive, useRead, when } from './ui.js';

const DAYS = 14;
const SHORT = 0.4; // of a day: what is shorter shows no text
const KEPT = 30; // days ago that a schedule may begin; the API takes 31 times 24 hours
const STATES = ['asked', 'planned', 'out', 'overdue', 'back', 'sale', 'block'];
const named = (state) => listed('states')[STATES.indexOf(state)];

const HM = { hour: '2-digit', minute: '2-digit' };
const DM = { day: 'numeric', month: 'short' };
const moment = (at) => (at === null ? '…' : when(at, { weekday: 'short', ...DM, ...HM }));
const period = (one) => `${moment(one.start_at)} – ${moment(one.end_at)}`;
// until tells when a hold ends: the day of the week is enough where it can be no other.
const until = (at) => (Date.parse(at) - Date.now() < 6 * DAY ? when(at, { weekday: 'short', ...HM }) : moment(at));
// left tells how long a hold still lasts.
function left(time) {
  const [number, unit] = time < HOUR ? [Math.max(1, time / HOUR * 60), 0] : time < 1.5 * DAY ? [time / HOUR, 1] : [time / DAY, 2];
  return `${Math.round(number)} ${listed('units')[unit]}`;
}

// first is the day that the address names, as far back as may be; without one, the Monday from which today is well in the picture.
function firstOf(asked, today) {
  const near = shift(today, -3);
  const first = /^\d{4}-\d\d-\d\d$/.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : shift(near, -((weekday(near) + 6) % 7));
  return first < shift(today, -KEPT) ? shift(today, -KEPT) : first;
}

const byID = (list) => new Map(list.map((one) => [one.id, one]));

// swapsOf are exchanges by the line that ended, and by the one that went on.
const swapsOf = (exchanges) => ({
  from: new Map(exchanges.map((exchange) => [exchange.order_inventory_from, exchange])),
  to: new Map(exchanges.map((exchange) => [exchange.order_inventory_to, exchange])),
});

async function load(asked) {
  const now = Date.now();
  const today = dayOf(now);
  const first = firstOf(asked, today);
  const within = { start_at: first, end_at: shift(first, DAYS - 1) };
  const days = Array.from({ length: DAYS }, (_, i) => shift(first, i));
  const bounds = [...days, shift(first, DAYS)].map(begin);
  const instant = (i) => new Date(bounds[i]).toISOString();
  const [items, groups, orders, clients, exchanges] = await Promise.all([
    all('/v1/crm/inventories/schedules/', { ...within, active: true }), all('/v1/crm/groups/'),
    all('/v1/crm/requests/', within), all('/v1/crm/clients/'),
    all('/v1/crm/requests/exchanges/', { datetime__gte: instant(0), datetime__lte: instant(DAYS) }),
  ]);
  // What is overdue was planned for an earlier time, so that the list of orders may not have it.
  const known = byID(orders);
  const missing = new Set(items.flatMap((item) => item.intervals).map((one) => one.request).filter((id) => id && !known.has(id)));
  for (const order of await Promise.all([...missing].map((id) => read(`/v1/crm/requests/${id}/`)))) known.set(order.id, order);
  return {
    now, today, days, bounds, items, groups, orders: known, clients: byID(clients), swaps: swapsOf(exchanges), place: placeIn(bounds),
  };
}

// placeIn gives what tells where a moment is in the picture: 0 is its left end, and 1 its right end.
const placeIn = (bounds) => (at) => {
  if (at <= bounds[0]) return 0;
  const i = bounds.findIndex((bound) => at < bound) - 1;
  return i < 0 ? 1 : (i + (at - bounds[i]) / (bounds[i + 1] - bounds[i])) / DAYS;
};

// sections are the items by their groups.
function sections({ items, groups }) {
  const names = byID(groups);
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return [...Map.groupBy(items, (item) => item.group)].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)).map(([id, members]) => ({
    name: names.get(id)?.name || say('no_group'), members: members.sort((a, b) => compare(a.unique_id || a.name, b.unique_id || b.name)),
  }));
}

// stateOf tells how an interval is shown.
function stateOf(one, order, now) {
  if (one.block) return 'block';
  if (one.end_at === null) return 'sale';
  if (one.overdue) return 'overdue';
  if (one.out) return 'out';
  if (order?.status === 0) return 'asked';
  return Date.parse(one.end_at) <= now && order?.status !== 1 ? 'back' : 'planned';
}

// held is when the hold of a request ends, if it has one.
const held = (order) => (order?.status === 0 && order.expires_at ? Date.parse(order.expires_at) : null);

// swapsOn are the swaps that a line came of, and that ended it.
function swapsOn(line, swaps, name) {
  const [next, before] = [swaps.from.get(line), swaps.to.get(line)];
  return [
    before && { at: before.datetime, line: before.order_inventory_from, item: name(before.inventory_from), why: before.reason,
      how: (item) => say('instead_of', { item }) },
    next && { at: next.datetime, line: next.order_inventory_to, item: name(next.inventory_to), why: next.reason,
      how: (item) => say('swapped_for', { item }) },
  ].filter(Boolean);
}
const swapText = (swap) => `${swap.how(swap.item)}: ${swap.why}`;

export default function Schedule({ route }) {
  const { start } = route.query;
  const picture = useLive(() => load(start), [start], 60_000);
  const [open, setOpen] = useState();
  const { days, today } = picture.data || {};
  const link = (text, day) => html`<a class="button" href=${day ? `#/schedule?start=${day}` : null}>${text}</a>`;
  const oldest = days && shift(today, -KEPT);
  const earlier = days && days[0] > oldest && (shift(days[0], -7) < oldest ? oldest : shift(days[0], -7));
  return html`<div class="schedule"><${Title} name=${say('schedule')}>${say('schedule')} ${days
    && html`<small>${when(begin(days[0]), DM)} – ${
    when(begin(days.at(-1)), { ...DM, year: 'numeric' })}</small>`}<//>
    <nav class="bar" aria-label=${say('weeks')}>
      ${link(say('week_before'), earlier)} <a class="button" href="#/schedule">${say('today')}</a> ${
  link(say('week_after'), days && shift(days[0], 7))}</nav>
    <ul class="legend">${STATES.map((state) => html`<li class=${state}>${named(state)}</li>`)}
      <li class="swap">⇄ ${say('swap')}</li><li class="held">${say('hold')}</li></ul>
    <${Reading} of=${picture} />
    ${days && (picture.data.items.length ? html`<${Sheet} of=${picture.data} open=${setOpen} />` : html`<p>${say('no_items')}</p>`)}
    ${open && html`<${Order} of=${picture.data} ...${open} close=${() => setOpen()} />`}</div>`;
}

const percent = (part) => `${100 * part}%`;

function Sheet({ of, open }) {
  const { days, bounds, today, now, place } = of;
  const grid = useRef();
  useEffect(() => { // on a narrow screen, today comes into view
    const wide = grid.current.querySelector('.head .track').clientWidth;
    grid.current.scrollLeft = Math.max(0, place(now) * wide - wide / DAYS * 1.5);
  }, [days[0]]);
  const marks = (day) => `${day === today ? 'today' : ''} ${[0, 6].includes(weekday(day)) ? 'weekend' : ''}`;
  return html`<div class="grid" role="region" aria-label=${say('sheet')} tabindex="0" ref=${grid}><div class="sheet">
    <div class="head"><div class="name">${say('item')}</div><div class="track">${days.map((day, i) => html`<span class=${marks(day)}>${
  when(bounds[i], { weekday: 'short' })} <b>${when(bounds[i], { day: 'numeric' })}</b></span>`)}</div></div>
    <div class="columns" aria-hidden="true">${days.map((day) => html`<i class=${marks(day)}></i>`)}${
  now >= bounds[0] && now < bounds[DAYS] && html`<b style=${{ left: percent(place(now)) }}></b>`}</div>
    ${sections(of).map(({ name, members }) => html`<h2><span>${name}</span></h2><ul>${members.map((item) => html`<li key=${item.id}>
      <div class="name" title=${item.name}><span>${item.name}</span></div>
      <div class="track">${item.intervals.map((one) => html`<${Bar} key=${`${one.line}-${one.start_at}`}
        item=${item} one=${one} of=${of} open=${open} />`)}</div></li>`)}</ul>`)}
  </div></div>`;
}

function Bar({ item, one, of, open }) {
  const { now, bounds, place, swaps } = of;
  const order = of.orders.get(one.request);
  const number = order?.unique_id || one.request;
  const state = stateOf(one, order, now);
  const start = Date.parse(one.start_at);
  const due = one.end_at === null ? Infinity : Date.parse(one.end_at);
  const end = state === 'overdue' ? Math.max(due, now) : due;
  const text = one.block ? one.reason || named('block') : of.clients.get(order?.client)?.name || say('order', { id: number });
  const ends = held(order);
  const more = swapsOn(one.line, swaps, (id) => of.items.find((other) => other.id === id)?.name || say('other_item')).map(swapText);
  if (ends !== null) more.push(ends > Date.now() ? say('held_until', { time: until(order.expires_at) }) : say('hold_ended'));
  const [from, to] = [place(start), place(end)];
  const is = {
    short: to - from < SHORT / DAYS, continues: swaps.to.has(one.line), continued: swaps.from.has(one.line),
    earlier: start < bounds[0], later: end > bounds[DAYS],
  };
  const style = {
    left: percent(from), width: percent(to - from),
    ...state === 'overdue' && { '--due': percent(Math.max(0, place(due) - from) / (to - from)) },
  };
  const label = [item.name, !one.block && say('order', { id: number }), text, named(state), period(one), ...more]
    .filter(Boolean).join(', ');
  return html`<div>${ends >= bounds[0] && ends < bounds[DAYS] && html`<i class="hold" aria-hidden="true"
      style=${{ left: percent(place(ends)), width: percent(Math.max(0, from - place(ends))) }}></i>`}
    <button type="button" id=${one.line ? `line-${one.line}` : null}
      class="slot ${state} ${Object.keys(is).filter((name) => is[name]).join(' ')}" style=${style}
      title=${[text, period(one), ...more].join('\n')} aria-label=${label} onClick=${() => open({ item, one })}>
      <span data-hold=${ends === null ? null : ends > now ? left(ends - now) : say('ended')}>${text}</span></button></div>`;
}

// Order is what is behind a bar.
function Order({ of, item, one, close }) {
  const more = useRead(() => (one.block ? Promise.resolve() : Promise.all([
    read(`/v1/crm/requests/${one.request}/`), all('/v1/crm/requests/exchanges/', { request: one.request }),
  ])), [one]);
  const facts = (list) => html`<table><tbody>${list.filter(Boolean).map(([name, value]) =>
    html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`;
  if (one.block) {
    return html`<${Dialog} title=${named('block')} close=${close}>
      ${facts([
        [say('item'), recordLink('inventory', item.id, item.name)], [say('when'), period(one)], one.reason && [say('why'), one.reason],
      ])}<//>`;
  }
  const [order, exchanges] = more.data || [of.orders.get(one.request)];
  const title = recordLink('order', one.request, say('order', { id: order?.unique_id || one.request }));
  if (!exchanges) {
    return html`<${Dialog} title=${title} close=${close}>
      ${facts([[say('client'), of.clients.get(order?.client)?.name || '…'], [say('item'), item.name], [say('when'), period(one)]])}
      <${Reading} of=${more} /><//>`;
  }
  const name = (id) => order.inventories.find((line) => line.inventory?.id === id)?.inventory.name || say('other_item');
  const client = order.inventories.find((line) => line.client)?.client;
  const status = listed('statuses')[order.status];
  const paid = (key, amount, always) => (always || Number(amount) > 0) && [key, money(amount)];
  const ends = held(order);
  // show leads from the dialog to another bar.
  const show = (line) => {
    close();
    const bar = document.getElementById(`line-${line}`);
    bar.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    setTimeout(() => bar.focus({ preventScroll: true }));
  };
  const line = (of) => html`<li class=${of.id === one.line ? 'this' : ''}><b>${
    recordLink('inventory', of.inventory?.id, of.inventory?.name || say('deleted_item'))}</b> ${
    of.type === 1 && `(${named('sale')})`}
    <p>${of.type === 1 ? moment(of.start_at) : period(of)}</p>
    ${of.fact_start_at && html`<p>${say('handed_out', { time: moment(of.fact_start_at) })}</p>`}
    ${of.fact_end_at && html`<p>${say('came_back', { time: moment(of.fact_end_at) })}</p>`}
    ${swapsOn(of.id, swapsOf(exchanges), name).map((swap) => html`<p>⇄ ${moment(swap.at)} ${swapText(swap)} ${of.id === one.line
      && document.getElementById(`line-${swap.line}`)
      && html`<button type="button" aria-label=${say('show_item', { item: swap.item })}
      onClick=${() => show(swap.line)}>${say('show')}</button>`}</p>`)}</li>`;
  return html`<${Dialog} title=${title} close=${close}>${facts([
    [say('client'), recordLink('client', client?.id, client?.name || '–')], client?.phone && [say('phone'), client.phone],
    [say('status'), one.overdue ? `${status}, ${named('overdue')}` : status],
    ends !== null && [say('hold_end'), ends > Date.now() ? `${moment(order.expires_at)} (${left(ends - Date.now())})` : say('ended')],
    paid(say('price'), order.price, true), paid(say('fees'), order.penalty_amount),
    paid(say('paid'), order.paid_amount, true), paid(say('owed'), order.debt),
  ])}<ul class="lines">${order.inventories.map(line)}</ul><//>`;
}
