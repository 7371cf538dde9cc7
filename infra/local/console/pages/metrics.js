// The page of what the demo company's orders brought in, by day.
'use strict';

const DAYS = 60;
const HEIGHT = 280; // of the bars, in pixels
const ABOVE = 12; // pixels
const BELOW = 22;
// In the order in which they are stacked, from below.
const types = {
  inventory: 'Rentals', sale: 'Sales', service: 'Services', delivery: 'Deliveries', workshop: 'Workshop', penalty: 'Penalties',
};
const hint = 'A click, or Enter, shows what a day is made of. Arrow keys go from day to day.';

// draw makes an element of an SVG.
function draw(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// --- Amounts are whole cents here, so that their sums are exact.

const cents = (text) => Number(text.replace('.', ''));
let amount, plain, short;

// inCurrency says how amounts are written: with cents if any of them has cents. In columns the currency is left out.
function inCurrency(currency, amounts) {
  const digits = amounts.some((one) => one % 100) ? 2 : 0;
  const style = (more) => {
    const written = new Intl.NumberFormat('en-GB', { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...more });
    return (one) => written.format(one / 100);
  };
  amount = style({ minimumFractionDigits: digits, maximumFractionDigits: digits });
  plain = style({ style: 'decimal', minimumFractionDigits: digits, maximumFractionDigits: digits });
  short = style({ notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 2 });
}

// --- What is shown.

const pair = (row) => ({ count: row.count, accrued: cents(row.prediction), collected: cents(row.profit) });
const plus = (a, b) => ({ count: a.count + b.count, accrued: a.accrued + b.accrued, collected: a.collected + b.collected });
const none = { count: 0, accrued: 0, collected: 0 };
const total = (pairs) => pairs.reduce(plus, none);

async function load() {
  const company = await readCompany();
  const today = dayOf(Date.now());
  const list = await all('/v1/crm/metrics/general/', { date__gte: shift(today, 1 - DAYS), date__lte: today, ordering: 'date' });
  const days = list.map((row) => ({
    date: row.date, today: row.date === today, weekend: [0, 6].includes(new Date(row.date).getUTCDay()),
    all: pair(row), types: Object.fromEntries(Object.keys(types).map((type) => [type, pair(row[type])])),
  }));
  inCurrency(company.currency, days.flatMap(({ types: by }) => Object.values(by)).flatMap((one) => [one.accrued, one.collected]));
  find('range').textContent = `${written(days[0].date, { day: 'numeric', month: 'short' })} – ${
    written(today, { day: 'numeric', month: 'short', year: 'numeric' })}`;
  const empty = days.every((day) => day.all.count === 0);
  find('says').textContent = empty ? `${company.name} has no orders in these ${DAYS} days, so that nothing was accrued or collected.` : '';
  find('figures').hidden = empty;
  if (empty) return;
  const by = Object.keys(types).map((type) => ({ type, sum: total(days.map((day) => day.types[type])) })).filter(({ sum }) => sum.count);
  sums(total(days.map((day) => day.all)), by);
  chart(days);
  table(days, by, company.currency);
}

// written is a day as people read it.
const written = (day, options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(new Date(day));
const nameOf = (day) => written(day, { weekday: 'short', day: 'numeric', month: 'short' });

function sums(sum, by) {
  const share = sum.accrued ? ` (${Math.round(100 * sum.collected / sum.accrued)} %)` : '';
  const facts = { Accrued: amount(sum.accrued), Collected: `${amount(sum.collected)}${share}`, Rows: sum.count.toLocaleString('en-GB') };
  find('totals').replaceChildren(...Object.entries(facts)
    .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
  find('types').replaceChildren(...by.map(({ type, sum: of }) => make('li', { className: type }, make('b', {}, types[type]),
    make('span', {}, `${amount(of.collected)} of ${amount(of.accrued)}`))));
}

// step is the distance of the lines behind the bars: at most five fit below the highest bar.
function step(highest) {
  const rough = Math.max(highest, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough);
}

function chart(days) {
  const highest = Math.max(...days.flatMap((day) => [day.all.accrued, day.all.collected]));
  const apart = step(highest);
  const lines = Array.from({ length: Math.max(1, Math.ceil(highest / apart)) + 1 }, (_, i) => i * apart);
  const top = lines.at(-1);
  const y = (of) => ABOVE + HEIGHT * (1 - of / top);
  const size = { height: ABOVE + HEIGHT + BELOW, 'aria-hidden': 'true' };
  const scale = draw('svg', { class: 'scale', ...size }, ...lines.map((of) => draw('text', { x: '100%', y: y(of) + 4 }, short(of))));
  const slot = 100 / days.length;
  const back = draw('g', { 'aria-hidden': 'true' },
    ...days.map((day, i) => day.weekend
      ? draw('rect', { class: 'weekend', x: `${i * slot}%`, width: `${slot}%`, y: ABOVE, height: HEIGHT }) : ''),
    ...lines.map((of) => draw('line', { class: of ? 'line' : 'ground', x1: 0, x2: '100%', y1: y(of), y2: y(of) })),
    ...days.map((day, i) => new Date(day.date).getUTCDay() === 1 && i < days.length - 4 || day.today
      ? draw('text', {
        class: day.today ? 'today' : '', x: `${day.today ? 100 : (i + 0.5) * slot}%`, y: ABOVE + HEIGHT + 17,
      }, day.today ? 'today' : written(day.date, { day: 'numeric', month: 'short' })) : ''));
  const bars = draw('g', { role: 'group', 'aria-label': 'Days' }, ...days.map((day, i) => column(day, i * slot, slot, y)));
  const label = 'Accrued and collected by day';
  const shown = draw('svg', { class: 'days', height: size.height, role: 'group', 'aria-label': label }, back, bars);
  const moved = make('div', { className: 'scroll' }, shown);
  find('chart').replaceChildren(scale, moved);
  walk([...bars.children], days);
  moved.scrollLeft = moved.scrollWidth; // on a narrow screen, today comes into view
  describe(days.at(-1));
}

// column is a day: what was accrued, and beside it what was collected.
function column(day, x, slot, y) {
  const stack = (of, from) => {
    let height = 0;
    return Object.keys(types).filter((type) => day.types[type][of] > 0).map((type) => {
      const below = height;
      height += day.types[type][of];
      return draw('rect', {
        class: `${type} ${of}`, x: `${x + slot * from}%`, width: `${slot * 0.4}%`, y: y(height), height: y(below) - y(height),
      });
    });
  };
  return draw('g', { class: 'column', role: 'button', tabindex: -1, 'aria-label': said(day) },
    draw('rect', { class: 'reach', x: `${x}%`, width: `${slot}%`, y: ABOVE, height: HEIGHT }),
    ...stack('accrued', 0.08), ...stack('collected', 0.52));
}

const said = (day) => `${nameOf(day.date)}: accrued ${amount(day.all.accrued)}, collected ${amount(day.all.collected)}`;

// describe shows the figures of a day below the chart.
function describe(day) {
  const moved = Object.keys(types).filter((type) => day.types[type].accrued || day.types[type].collected);
  const parts = moved.map((type) => make('span', { className: type },
    `${types[type]} ${amount(day.types[type].collected)} of ${amount(day.types[type].accrued)}`));
  find('day').replaceChildren(make('b', {}, said(day)), ...parts, make('small', {}, hint));
}

// walk makes the days one stop of the Tab key, within which arrow keys move.
function walk(columns, days) {
  const stop = (to) => columns.forEach((one, i) => one.setAttribute('tabindex', i === to ? 0 : -1));
  stop(columns.length - 1);
  const keys = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  columns.forEach((one, i) => {
    one.addEventListener('pointerenter', () => describe(days[i]));
    one.addEventListener('focus', () => { stop(i); describe(days[i]); });
    one.addEventListener('click', () => open(days[i]));
    one.addEventListener('keydown', (event) => {
      if (event.key in keys) columns[Math.min(columns.length - 1, Math.max(0, i + keys[event.key]))].focus();
      else if (event.key === 'Enter' || event.key === ' ') open(days[i]);
      else return;
      event.preventDefault();
    });
  });
}

// --- The table.

const cell = (tag, text, more) => make(tag, more || {}, text);
const figures = (of) => [of.accrued, of.collected]
  .map((one) => (of.count ? cell('td', plain(one)) : cell('td', '–', { className: 'none' })));

function table(days, by, currency) {
  const columns = (day) => [day.all, ...by.map(({ type }) => day.types[type])].flatMap(figures);
  const sum = { all: total(days.map((day) => day.all)), types: Object.fromEntries(by.map(({ type, sum: of }) => [type, of])) };
  const names = ['All', ...by.map(({ type }) => types[type])];
  const row = (day) => {
    const button = make('button', { type: 'button', title: 'What it is made of' }, nameOf(day.date));
    button.addEventListener('click', () => open(day));
    return make('tr', { className: day.weekend ? 'weekend' : '' }, make('th', { scope: 'row' }, button), ...columns(day));
  };
  find('grid').replaceChildren(make('table', {},
    make('thead', {},
      make('tr', {}, make('th', { scope: 'col', rowSpan: 2 }, make('small', {}, `in ${currency}`), 'Day'),
        ...names.map((name) => cell('th', name, { scope: 'colgroup', colSpan: 2 }))),
      make('tr', {}, ...names.flatMap(() => [cell('th', 'Accrued', { scope: 'col' }), cell('th', 'Collected', { scope: 'col' })]))),
    make('tbody', {}, ...days.toReversed().map(row)),
    make('tfoot', {}, make('tr', {}, cell('th', `${DAYS} days`, { scope: 'row' }), ...columns(sum)))));
}

// --- What a day is made of.

async function open(day) {
  const dialog = find('rows');
  const show = (...content) => dialog.replaceChildren(make('h2', { id: 'rows-title' }, said(day)), ...content,
    make('form', { method: 'dialog' }, make('button', { type: 'submit', autofocus: true }, 'Close')));
  show(make('p', {}, 'Reading the rows …'));
  dialog.showModal();
  let rows;
  try {
    rows = (await all('/v1/crm/metrics/general/detail/', { date: day.date })).filter((row) => row.type !== 'request');
  } catch (error) {
    show(make('p', { role: 'alert' }, error.message));
    return;
  }
  if (!rows.length) {
    show(make('p', {}, 'No line of an order begins on this day.'));
    return;
  }
  const sum = total(rows.map((row) => pair({ ...row, count: 1 })));
  const same = ['count', 'accrued', 'collected'].every((name) => sum[name] === day.all[name]);
  const amounts = (of) => [cell('td', plain(of.accrued)), cell('td', plain(of.collected))];
  show(make('table', { className: 'rows' },
    make('thead', {}, make('tr', {}, ...['What', 'Accrued', 'Collected'].map((name) => cell('th', name, { scope: 'col' })))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, what(row), ...amounts(pair(row))))),
    make('tfoot', {}, make('tr', {}, cell('th', rows.length === 1 ? '1 row' : `${rows.length} rows`, { scope: 'row' }), ...amounts(sum)))),
  same ? '' : make('p', { role: 'alert' }, 'The orders have changed since: the chart follows within a minute.'));
}

function what(row) {
  const penalty = row.request ? 'A fee' : 'A traffic penalty';
  // Else it is what was deleted since, or a payment of an order that has nothing to be paid.
  const name = row.inventory?.name || row.service?.name || (row.type === 'penalty' ? penalty : 'Something else');
  return make('th', { scope: 'row', className: row.type }, name,
    make('small', {}, [types[row.type], row.request && `order ${row.request}`, row.client_name].filter(Boolean).join(' · ')));
}

async function refresh() {
  try {
    await load();
  } catch (error) {
    find('says').textContent = `The metrics can't be read: ${error.message}`;
  }
}

find('rows').addEventListener('click', (event) => { // beside the dialog
  if (event.target === event.currentTarget) event.currentTarget.close();
});
// The figures stay true while somebody looks at them, but do not change under the fingers.
setInterval(() => {
  if (!document.hidden && !find('rows').open && !find('figures').contains(document.activeElement)) refresh();
}, 60 * 1000);
refresh();
