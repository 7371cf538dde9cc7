// What the company's orders brought in, by day.
import { html, useEffect, useRef, useState } from './htm.js';
import { all, company } from './api.js';
import { dayOf, shift, weekday } from './days.js';
import { listed, say } from './texts.js';
import { Dialog, Grid, Reading, Title, number, useLive, useRead, when } from './ui.js';

const DAYS = 60;
const HEIGHT = 280; // of the bars, in pixels
const ABOVE = 12; // pixels
const BELOW = 22;
// In the order in which they are stacked, from below.
const TYPES = ['inventory', 'sale', 'service', 'delivery', 'workshop', 'penalty'];
const named = (type) => listed('metric_types')[TYPES.indexOf(type)];

// --- Amounts are whole cents here, so that their sums are exact.

const cents = (text) => Number(text.replace('.', ''));
const pair = (row) => ({ count: row.count, accrued: cents(row.prediction), collected: cents(row.profit) });
const plus = (a, b) => ({ count: a.count + b.count, accrued: a.accrued + b.accrued, collected: a.collected + b.collected });
const total = (pairs) => pairs.reduce(plus, { count: 0, accrued: 0, collected: 0 });

// writers are how amounts are written: with cents if any of them has cents. In columns the currency is left out.
function writers(amounts) {
  const digits = amounts.some((one) => one % 100) ? 2 : 0;
  const style = (more) => (one) => number(one / 100, {
    style: 'currency', currency: company().currency, currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits, maximumFractionDigits: digits, ...more,
  });
  const short = style({ style: 'decimal', minimumFractionDigits: 0, maximumFractionDigits: 2 });
  return { amount: style(), plain: style({ style: 'decimal' }), short };
}

// written is a day as people read it.
const written = (day, options) => when(day, { timeZone: 'UTC', ...options });
const SHORT = { day: 'numeric', month: 'short' };
const nameOf = (day) => written(day, { weekday: 'short', ...SHORT });

async function load() {
  const today = dayOf(Date.now());
  const list = await all('/v1/crm/metrics/general/', { date__gte: shift(today, 1 - DAYS), date__lte: today, ordering: 'date' });
  const days = list.map((row) => ({
    date: row.date, today: row.date === today, weekend: [0, 6].includes(weekday(row.date)),
    all: pair(row), types: Object.fromEntries(TYPES.map((type) => [type, pair(row[type])])),
  }));
  const by = TYPES.map((type) => ({ type, sum: total(days.map((day) => day.types[type])) })).filter(({ sum }) => sum.count);
  return { days, by, sum: total(days.map((day) => day.all)) };
}

export default function Metrics() {
  const read = useLive(load, [], 60_000);
  const [open, setOpen] = useState();
  const { days, by, sum } = read.data || {};
  const write = days && writers(days.flatMap(({ types }) => Object.values(types)).flatMap((one) => [one.accrued, one.collected]));
  const said = ({ date, all: { accrued, collected } }) =>
    say('day_said', { day: nameOf(date), accrued: write.amount(accrued), collected: write.amount(collected) });
  const of = (pair) => say('part_of', { part: write.amount(pair.collected), whole: write.amount(pair.accrued) });
  const share = sum?.accrued ? ` (${Math.round(100 * sum.collected / sum.accrued)} %)` : '';
  return html`<div class="metrics"><${Title} name=${say('metrics')}>${say('metrics')} ${days
    && html`<small>${written(days[0].date, SHORT)} – ${
    written(days.at(-1).date, { ...SHORT, year: 'numeric' })}</small>`}<//>
    <${Reading} of=${read} />
    ${days && (sum.count ? html`<dl class="totals">
        ${[[say('accrued'), write.amount(sum.accrued)], [say('collected'), write.amount(sum.collected) + share],
          [say('rows'), number(sum.count)]]
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <ul class="types">${by.map((one) => html`<li class=${one.type}><b>${named(one.type)}</b><br />${of(one.sum)}</li>`)}</ul>
      <${Chart} days=${days} write=${write} said=${said} of=${of} open=${setOpen} />
      <${Table} days=${days} by=${by} sum=${sum} write=${write} open=${setOpen} />` : html`<p>${say('no_metrics')}</p>`)}
    ${open && html`<${Day} day=${open} said=${said} write=${write} close=${() => setOpen()} />`}</div>`;
}

// step is the distance of the lines behind the bars: at most five fit below the highest bar.
function step(highest) {
  const rough = Math.max(highest, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough);
}

// Chart has each day as two bars: what was accrued, and beside it what was collected. The days are one stop of the Tab key, within which
// arrow keys move.
function Chart({ days, write, said, of, open }) {
  const [at, point] = useState(days.length - 1);
  const box = useRef();
  useEffect(() => { box.current.scrollLeft = box.current.scrollWidth; }, []); // on a narrow screen, today comes into view
  const highest = Math.max(...days.flatMap((day) => [day.all.accrued, day.all.collected]));
  const apart = step(highest);
  const lines = Array.from({ length: Math.max(1, Math.ceil(highest / apart)) + 1 }, (_, i) => i * apart);
  const y = (amount) => ABOVE + HEIGHT * (1 - amount / lines.at(-1));
  const size = ABOVE + HEIGHT + BELOW;
  const slot = 100 / days.length;
  const label = (day, i) => (day.today || weekday(day.date) === 1 && i < days.length - 7) && html`<text class=${day.today ? 'today' : ''}
    x=${`${day.today ? 100 : (i + 0.5) * slot}%`} y=${ABOVE + HEIGHT + 17}>${day.today ? say('today') : written(day.date, SHORT)}</text>`;
  const stack = (day, x, which) => {
    let height = 0;
    return TYPES.filter((type) => day.types[type][which] > 0).map((type) => {
      const below = y(height);
      height += day.types[type][which];
      return html`<rect class="${type} ${which}" x="${x}%" width="${slot * 0.4}%" y=${y(height)} height=${below - y(height)} />`;
    });
  };
  const key = (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length }[event.key];
    if (to !== undefined) event.currentTarget.children[Math.min(days.length - 1, Math.max(0, to))].focus();
    else if (event.key === 'Enter' || event.key === ' ') open(days[at]);
    else return;
    event.preventDefault();
  };
  const day = days[at];
  return html`<div><p class="key" aria-hidden="true"><i class="accrued"></i> ${say('accrued')} <i></i> ${say('collected')}</p>
    <div class="chart"><svg class="scale" height=${size} aria-hidden="true">${lines.map((of) =>
        html`<text x="100%" y=${y(of) + 4}>${write.short(of)}</text>`)}</svg>
      <div class="scroll" ref=${box}><svg class="days" height=${size} >
        <g aria-hidden="true">${days.map((one, i) => one.weekend && html`<rect class="weekend" x="${i * slot}%" width="${slot}%"
          y=${ABOVE} height=${HEIGHT} />`)}
          ${lines.map((of) => html`<line class=${of ? '' : 'ground'} x1="0" x2="100%" y1=${y(of)} y2=${y(of)} />`)}${days.map(label)}</g>
        <g role="group" aria-label=${say('by_day')} onKeyDown=${key}>${days.map((one, i) => html`
          <g class="column" role="button" tabindex=${i === at ? 0 : -1}
          aria-label=${said(one)} onFocus=${() => point(i)} onPointerEnter=${() => point(i)} onClick=${() => open(one)}>
          <rect class="reach" x="${i * slot}%" width="${slot}%" y=${ABOVE} height=${HEIGHT} />
          ${stack(one, slot * (i + 0.08), 'accrued')}${stack(one, slot * (i + 0.52), 'collected')}</g>`)}</g></svg></div></div>
    <p class="day" aria-hidden="true"><b>${said(day)}</b>${TYPES.filter((type) => day.types[type].accrued || day.types[type].collected)
    .map((type) => html`<span class=${type}>${named(type)} ${of(day.types[type])}</span>`)}<small>${say('chart_hint')}</small></p></div>`;
}

function Table({ days, by, sum, write, open }) {
  const figures = (of) => [of.accrued, of.collected].map((one) => html`<td class="number">${of.count ? write.plain(one) : '–'}</td>`);
  const columns = (day) => [day.all, ...by.map(({ type }) => day.types[type])].map(figures);
  return html`<div class="grid high" role="region" aria-label=${say('same_figures')} tabindex="0"><table><thead>
      <tr><th scope="col" rowspan="2">${say('day')}, ${company().currency}</th>${[say('all'), ...by.map(({ type }) => named(type))]
    .map((name) => html`<th scope="colgroup" colspan="2">${name}</th>`)}</tr>
      <tr>${[0, ...by].map(() => html`<th scope="col">${say('accrued')}</th><th scope="col">${say('collected')}</th>`)}</tr></thead>
    <tbody>${days.toReversed().map((day) => html`<tr><th scope="row"><button type="button" class="plain"
        onClick=${() => open(day)}>${nameOf(day.date)}</button></th>
      ${columns(day)}</tr>`)}</tbody>
    <tfoot><tr><th scope="row">${say('some_days', { count: days.length })}</th>
      ${columns({ all: sum, types: Object.fromEntries(by.map((one) => [one.type, one.sum])) })}
    </tr></tfoot></table></div>`;
}

// Day is what a day is made of.
function Day({ day, said, write, close }) {
  const read = useRead(() => all('/v1/crm/metrics/general/detail/', { date: day.date })
    .then((list) => list.filter((row) => row.type !== 'request')), [day.date]);
  const rows = read.data || [];
  const sum = total(rows.map((row) => pair({ ...row, count: 1 })));
  const same = ['count', 'accrued', 'collected'].every((name) => sum[name] === day.all[name]);
  const amounts = (of) => html`<td class="number">${write.plain(of.accrued)}</td><td class="number">${write.plain(of.collected)}</td>`;
  // Else it is what was deleted since, or a payment of an order that has nothing to be paid.
  const what = (row) => row.inventory?.name || row.service?.name
    || (row.type !== 'penalty' ? say('something_else') : row.request ? say('a_fee') : say('a_penalty'));
  return html`<${Dialog} title=${said(day)} close=${close}><${Reading} of=${read} />
    ${read.data && (rows.length ? html`<${Grid} label=${said(day)}
      head=${[say('what'), say('accrued'), say('collected')]}>${rows.map((row) => html`<tr>
      <th scope="row" class=${row.type}>${what(row)}<br />
        <small class="soft">${[named(row.type), row.request && say('order', { id: row.request }), row.client_name]
  .filter(Boolean).join(' · ')}</small></th>${amounts(pair(row))}</tr>`)}
      <tr><th scope="row">${say('rows')}: ${rows.length}</th>${amounts(sum)}</tr><//>
        ${same ? '' : html`<p role="alert">${say('changed_since')}</p>`}`
    : html`<p>${say('no_rows')}</p>`)}<//>`;
}
