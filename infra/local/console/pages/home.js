// What one sees first of a company: which it is, how much it has of what, and its latest orders. Each is read by itself, so that what is
// refused, as money is to most roles, leaves the others.
import { html } from './htm.js';
import * as api from './api.js';
import { listed, say } from './texts.js';
import { Grid, Moment, Reading, money, number, recordLink, useRead } from './ui.js';

const MAIN = ['order', 'client', 'inventory', 'document', 'transaction', 'service', 'lead', 'penalty'];
const DAY = { day: 'numeric', month: 'short' };

export default function Home() {
  const kinds = useRead(api.kinds);
  const { id, name, timezone, currency } = api.company() || {};
  const main = MAIN.map((one) => kinds.data?.find((kind) => kind.name === one)).filter(Boolean);
  return html`<div><h2 class="company">${recordLink('company', id, name)} <code>company:${id}</code>
      <small>${timezone} · ${currency}</small></h2>
    <${Reading} of=${kinds} />
    <ul class="counts">${main.map((kind) => html`<${Count} key=${kind.name} kind=${kind} />`)}</ul>
    <h2>${say('latest_orders')}</h2><${Latest} /></div>`;
}

function Count({ kind }) {
  const { data, error } = useRead(() => api.read(kind.list, { pageSize: 1 }));
  const figure = data ? html`<b>${number(data.count)}</b>` : error ? html`<b class="bad">${error.status || '!'}</b>`
    : html`<b class="reading">…</b>`;
  return html`<li><a href=${`#/kind/${kind.name}`}><span>${say(`kind_${kind.name}`)}</span>${figure}${
    error && html`<small class="bad">${error.message}</small>`}</a></li>`;
}

function Latest() {
  const found = useRead(async () => {
    const { results: orders } = await api.read('/v1/crm/requests/', { pageSize: 5 }); // newest first
    const ids = [...new Set(orders.map(({ client }) => client).filter(Boolean))];
    // Where their names can't be read, their ids have to do.
    const clients = ids.length ? await api.read('/v1/crm/clients/', { id__in: ids.join(), pageSize: ids.length }).catch(() => undefined)
      : undefined;
    return { orders, names: new Map(clients?.results.map(({ id, name }) => [id, name])) };
  });
  const { orders, names } = found.data || {};
  const titles = listed('orders_head');
  const head = [...titles.slice(0, -1), html`<th scope="col" class="number">${titles.at(-1)}</th>`];
  const at = (moment) => (moment ? html`<${Moment} at=${moment} options=${DAY} />` : '…');
  return html`<div><${Reading} of=${found} />
    ${orders?.length === 0 && html`<p class="soft">${say('nothing')}</p>`}
    ${orders?.length > 0 && html`<${Grid} label=${say('latest_orders')} head=${head}>${orders.map((order) => html`
      <tr key=${order.id}><td>${recordLink('order', order.id, say('order', { id: order.unique_id }))}</td>
        <td>${order.client && recordLink('client', order.client, names.get(order.client) || `client:${order.client}`)}</td>
        <td>${listed('statuses')[order.status]}</td><td>${at(order.rent_start)} – ${at(order.rent_end)}</td>
        <td class="number">${money(order.price)}</td></tr>`)}<//>`}</div>`;
}
