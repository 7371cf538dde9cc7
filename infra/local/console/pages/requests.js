// The last requests that the platform has answered, with what each took of the table.
import { html, useEffect, useState } from './htm.js';
import { local } from './api.js';
import { listed, say } from './texts.js';
import { Grid, Json, Moment, Reading, Title, decoded, number, useLive } from './ui.js';

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' };

export default function Requests({ route }) {
  const { id } = route.query; // of one request, to which the history of a record has led
  const [{ path, status }, seek] = useState({ path: '', status: '' });
  const [open, toggle] = useState();
  useEffect(() => toggle(id), [id]);
  const read = useLive(() => local('requests'), [], 3000);
  const list = (read.data || []).filter((one) => (!id || one.request_id === id) && `${one.method} ${one.path}${query(one)}`.includes(path)
    && String(one.status).startsWith(status));
  const field = (name, label, value) => html`<label>${label} <input type="search" value=${value}
    onInput=${(event) => seek({ path, status, [name]: event.target.value })} /></label>`;
  return html`<div class="requests"><${Title}>${say('requests')}<//>
    <p class="soft">${say('about_requests')} <code>curl -s ${location.origin}/_local/requests</code></p>
    ${id && html`<p>${say('one_request')} <code>${id}</code> · <a href="#/requests">${say('all_requests')}</a></p>`}
    <form onSubmit=${(event) => { event.preventDefault(); read.again(); }}>${field('path', say('path'), path)}
      ${field('status', say('status'), status)}
      <button>${say('refresh')}</button> <span class="soft" role="status">${read.data && say('found', { count: list.length })}</span></form>
    <${Reading} of=${read} />
    ${id && read.data && !list.length && html`<p>${say('not_kept')}</p>`}
    ${list.length > 0 && html`<${Grid} label=${say('requests')} head=${listed('requests_head')}>
      ${list.flatMap((one) => rows(one, open === one.request_id,
        () => toggle(open === one.request_id ? undefined : one.request_id)))}<//>`}</div>`;
}

const query = (of) => (of.query ? `?${decoded(of.query.replaceAll('+', ' '))}` : '');
const figures = (...list) => list.map((one) => html`<td>${number(one, { maximumFractionDigits: 1 })}</td>`);
const who = ({ user, key, feed }) => (user ? say('by_user', { id: user }) : key ? say('by_key', { id: key })
  : feed ? say('by_feed', { id: feed }) : '');

// rows are that of a request, and where it is open what is behind it.
function rows(of, open, toggle) {
  const { table, ...facts } = of;
  return [html`<tr key=${of.request_id}><td><${Moment} at=${of.at} options=${CLOCK} /></td>
    <td><button type="button" class="plain" aria-expanded=${String(open)}
      onClick=${toggle}>${of.method} ${of.path}${query(of)}</button></td>
    <td class=${of.status < 400 ? '' : 'bad'}>${of.status}</td>${figures(of.milliseconds)}<td>${of.function || say('gateway')}</td>
    ${figures(of.calls, of.read_units, of.write_units)}<td>${of.company}</td><td>${who(of)}</td></tr>`,
  open && html`<tr key=${`${of.request_id}+`}><td colspan="10"><div class="within">
    ${table.length > 0 && html`<${Grid} label=${say('calls')} head=${listed('calls_head')}>${table.map((call, i) => html`<tr>
      <td>${i + 1}</td><td>${call.name} ${call.failed && html`<b class="bad">${say('refused')}</b>`}</td><td>${call.function}</td>
      ${figures(call.read_units, call.write_units, call.milliseconds)}</tr>`)}<//>`}
    ${of.table_left > 0 && html`<p>${say('calls_left', { count: of.table_left })}</p>`}
    <${Json} of=${facts} /></div></td></tr>`];
}
