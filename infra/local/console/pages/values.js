// How values of records are shown, and which of them a list has room for.
import { html, useState } from './htm.js';
import * as api from './api.js';
import { choices, fieldsOf, parametersOf, refers, resolve, byModel, byName, recordAt } from './describe.js';
import { say } from './texts.js';
import { Grid, Moment, number, when } from './ui.js';

export const record = (kind, id) => `#/kind/${kind.name}/${id}`;

// titleOf is what a record is called.
export const titleOf = (one) => String(one.name || one.label || one.unique_id || one.email || one.service_name || one.tarif_name
  || one.protocol_number
  || one.url || one.inventory?.name || one.id);

// titles are what the records are called to which rows refer: {"client:8": "Maria"}. Where that can't be read, their ids have to do.
export async function titles(kind, schema, rows) {
  const asked = new Map();
  for (const [name, of] of Object.entries(fieldsOf(schema))) {
    const other = refers(kind, name, of);
    const ids = rows.flatMap((row) => row[name] ?? []).filter(Number.isInteger);
    if (other && ids.length) asked.set(other, [...asked.get(other) || [], ...ids]);
  }
  const found = {};
  await Promise.all([...asked].map(async ([other, ids]) => {
    const some = [...new Set(ids)].slice(0, 1000);
    const byId = parametersOf(other.list).some(({ name }) => name === 'id__in');
    const list = await api.read(other.list, byId ? { id__in: some.join(), pageSize: some.length } : {}).catch(() => []);
    for (const one of list.results || list) found[`${other.name}:${one.id}`] = titleOf(one);
  }));
  return found;
}

// File is a button that opens a file. Its address is asked for when it is wanted, because it works for some minutes.
export function File({ at, children }) {
  const [error, fail] = useState();
  const show = () => api.call(new URL(at).pathname).then(({ url }) => { open(url, '_blank', 'noopener'); fail(); }).catch(fail);
  return html`<span><button type="button" onClick=${show}>${children || say('open')}</button>
    ${error && html`<span role="alert">${error.message}</span>`}</span>`;
}

const None = () => html`<span class="soft">—</span>`;

// Value is a value of a field, as its schema has it. beside are the other fields: of which kind an object_id is, stands there.
export function Value({ kind, name, schema, value, named = {}, beside = {} }) {
  if (value === null || value === undefined || value === '') return html`<${None} />`;
  const of = resolve(schema);
  const other = name === 'object_id' ? byModel(beside.content_type) : refers(kind, name, schema);
  if (Array.isArray(value)) {
    if (!value.length) return html`<${None} />`;
    if (value.every((one) => typeof one !== 'object')) {
      return value.map((one, i) => html`${i ? ', ' : ''}<${Value} kind=${kind} name=${name}
        schema=${other ? { refers: other.name } : of.items} value=${one} named=${named} />`);
    }
    return html`<${Table} kind=${kind} row=${of.items || {}} rows=${value} label=${name} all />`;
  }
  if (other) return html`<a href=${record(other, value)}>${named[`${other.name}:${value}`] || `${other.name}:${value}`}</a>`;
  const it = typeof value === 'object' && value.id && value.name && byName(name);
  if (it) return html`<a href=${record(it, value.id)}>${value.name}</a>`;
  if (typeof value === 'object') return html`<${Fields} kind=${{ name }} schema=${of} of=${value} />`;
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  const choice = choices(of)?.find((one) => one.value === String(value));
  if (choice?.text) return html`<span lang="en">${value} ${choice.text}</span>`;
  if (of.format === 'date-time') return html`<${Moment} at=${value} />`;
  if (of.format === 'date') return html`<time datetime=${value}>${when(value, { dateStyle: 'medium', timeZone: 'UTC' })}</time>`;
  if (of.format === 'decimal') return number(value, { minimumFractionDigits: 2 });
  if (of.format === 'uri' && URL.canParse(value)) {
    const at = recordAt(value);
    if (at) return html`<a href=${record(at.kind, at.id)}>${at.kind.name}:${at.id}</a>`;
    if (new URL(value).origin === location.origin) return html`<${File} at=${value} />`;
    return html`<a href=${value} target="_blank" rel="noopener">${value}</a>`;
  }
  return String(value);
}

// Fields are the values of a record, or of a part of it. What no schema tells of, such as custom fields, has its name and value.
export function Fields({ kind, schema, of, named, labels = {} }) {
  const known = fieldsOf(schema);
  const names = Object.keys(of).filter((name) => name !== 'tenant');
  if (!names.length) return html`<${None} />`;
  return html`<dl class="fields">${names.map((name) => html`<div><dt title=${known[name]?.description}>${name}
      ${labels[name] && html` <span class="soft">${labels[name]}</span>`}</dt>
    <dd><${Value} kind=${kind} name=${name} schema=${known[name] || {}} value=${of[name]} named=${named}
      beside=${of} /></dd></div>`)}</dl>`;
}

// What says most of a record comes first in a list, and what there is no room for isn't shown there.
const PLACES = [/^id$/, /^(name|label|unique_id|title|message|service_name|protocol_number|number|url)$/,
  /(^|_)(status|state|type|kind|role|signed|enabled)$/];
const NEVER = /^(tenant|extra|updated_at|created_by|image|avatar|uuid|deleted|content|header|footer|ordering|order|set_group)$/;
function place(kind, name, schema) {
  const first = PLACES.findIndex((names) => names.test(name));
  if (first >= 0) return first;
  if (name === 'created_at') return 7;
  if (/^(email|phone)$/.test(name) || refers(kind, name, schema) || byName(name)?.list) return 3;
  return { 'date-time': 4, date: 4, decimal: 5 }[resolve(schema).format] || 6;
}

// columns are those of a list: what no row has is left out, and what few rows have comes late.
export function columns(kind, row, rows, all) {
  const known = fieldsOf(row);
  const fits = (value) => value !== null && value !== '' && (all || typeof value !== 'object' || Boolean(value.name));
  const names = rows.length ? [...new Set(rows.flatMap(Object.keys))] : Object.keys(known);
  return names.filter((name) => !NEVER.test(name)).map((name) => {
    const values = rows.map((one) => one[name]).filter(fits);
    const rare = values.filter((value) => value !== '0.00').length < rows.length * 0.3;
    return { name, schema: known[name] || {}, some: values.length > 0, at: place(kind, name, known[name]) + (rare ? 4 : 0) };
  }).filter(({ some }) => some).sort((a, b) => a.at - b.at).slice(0, all ? 30 : 10);
}

// Table is a table of rows. extra are columns of its own: {name, label, get}; order is {by, names, set}, by which one orders.
export function Table({ kind, row, rows, label, named, link, extra = [], order, all }) {
  const shown = columns(kind, row, rows, all);
  const [, down, by] = /^(-?)(.*)$/.exec(order?.by || '');
  const head = (name, text = name) => {
    if (!order?.names.includes(name)) return text;
    const [sort, arrow, next] = by !== name ? [null, '', name] : down ? ['descending', ' ↓', name] : ['ascending', ' ↑', `-${name}`];
    return html`<th scope="col" aria-sort=${sort}><button type="button" class="plain"
      onClick=${() => order.set(next)}>${text}${arrow}</button></th>`;
  };
  const called = shown.filter(({ at }) => at === 1)[0]?.name;
  return html`<${Grid} label=${label}
    head=${[...shown.map(({ name }) => head(name)), ...extra.map(({ path, label: text }) => head(path, text))]}>
    ${rows.map((one, i) => html`<tr key=${one.id ?? i}>${shown.map(({ name, schema }) =>
      html`<td class=${resolve(schema).format === 'decimal' ? 'number' : ''}>${
      link && (name === 'id' || name === called) && one[name] ? html`<a href=${record(kind, one.id)}>${one[name]}</a>`
        : html`<${Value} kind=${kind} name=${name} schema=${schema} value=${one[name]} named=${named} beside=${one} />`}</td>`)}
      ${extra.map(({ part, name, schema }) => html`<td><${Value} kind=${kind} name=${name} schema=${schema}
        value=${(part ? one[part] : one)?.extra?.[name]} /></td>`)}</tr>`)}
  <//>`;
}
