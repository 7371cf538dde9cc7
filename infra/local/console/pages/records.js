// The records of a kind: its list with filters, orders and custom fields; and one record with what is below it, its history, its timeline
// and its JSON. The address has what was asked for, as the API takes it.
import { html, useEffect, useState } from './htm.js';
import * as api from './api.js';
import { OPS, choices, custom, learn, byName, listing, one, parts, readable, referring } from './describe.js';
import { Papers } from './documents.js';
import { say } from './texts.js';
import { Grid, Json, Moment, Reading, Title, number, useRead } from './ui.js';
import { Fields, Table, titleOf, titles } from './values.js';

export default function Kind({ route, navigate }) {
  const learnt = useRead(learn);
  const [, name, id] = route.path;
  const kind = learnt.data && byName(name);
  if (!learnt.data) return html`<${Reading} of=${learnt} />`;
  if (!kind?.list || (id && !/^\d+$/.test(id))) return html`<${Title}>${say('no_view')}<//>`;
  return id ? html`<${Record} kind=${kind} id=${id} tab=${route.query.tab} query=${route.query} />`
    : html`<${List} kind=${kind} query=${route.query} navigate=${navigate} />`;
}

// quoted is a text as one word of the shell.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// Raw is an answer as JSON, with the request as a line for the shell.
function Raw({ path, of }) {
  const { tenant } = api.who();
  const line = `curl -s ${quoted(location.origin + path)} -H "Authorization: Bearer $TOKEN"${tenant ? ` -H 'X-Tenant-Id: ${tenant}'` : ''}`;
  const [told, tell] = useState({});
  const copy = async () => {
    const failed = await navigator.clipboard.writeText(line).catch((error) => error);
    tell({ line, text: failed ? failed.message : say('copied') });
  };
  return html`<div><div class="bar"><button type="button" onClick=${copy}>${say('copy')}</button>
      <span class="soft" role="status">${told.line === line && told.text}</span></div>
    <pre tabindex="0" role="region" aria-label="curl">${line}</pre><${Json} of=${of} /></div>`;
}

// Pages leads to the other pages of an answer that has them. at makes the address of a page.
function Pages({ answer, at, page }) {
  if (!answer || Array.isArray(answer) || !(answer.next || answer.previous)) return null;
  const figure = (address) => new URL(address).searchParams.get('page') || 1;
  const to = (address, text, last) => html`<a class="button" href=${address ? at(last || figure(address)) : null}
    aria-disabled=${address ? null : 'true'}>${text}</a>`;
  return html`<nav class="bar" aria-label=${say('turn')}>${to(answer.previous, say('first'), 1)}${to(answer.previous, say('before'))}
    <span>${say('page', { page: page || 1 })}</span>${to(answer.next, say('after'))}${to(answer.next, say('last'), 'last')}</nav>`;
}

function List({ kind, query, navigate }) {
  // The custom fields are known once they are read, so that the filters are there also where the list itself is refused.
  const [fields, know] = useState();
  const of = fields && listing(kind, fields);
  const found = useRead(async () => {
    const extra = fields || await custom(kind);
    know(extra);
    const { pages, row } = listing(kind, extra);
    const path = api.address(kind.list, pages ? { pageSize: 20, ...query } : query);
    const answer = await api.call(path);
    const rows = answer.results || answer;
    return { path, answer, rows, named: await titles(kind, row, rows) };
  }, [JSON.stringify(query)]);
  const go = (next) => navigate(api.address(`/kind/${kind.name}`, next));
  const { path, answer, rows, named } = found.data || {};
  return html`<div><${Title} name=${say(`kind_${kind.name}`)} />
    <p class="soft"><code>GET ${kind.list}</code> <span lang="en">${of?.doc.summary}</span></p>
    ${of && (of.search || of.filters.length > 0) && html`<${Filters} of=${of} query=${query} go=${go} />`}
    <${Reading} of=${found} />
    ${rows && html`<p role="status" class=${found.waits ? 'soft' : ''}>${say('found', { count: number(answer.count ?? rows.length) })}</p>
      ${rows.length > 0 ? html`<${Table} kind=${kind} row=${of.row} rows=${rows} label=${say(`kind_${kind.name}`)} named=${named} link
        extra=${fields.filter(({ table }) => table)}
        order=${{ by: query.ordering, names: of.orders, set: (ordering) => go({ ...query, ordering, page: '' }) }} />`
        : html`<p class="soft">${say('nothing')}</p>`}
      <${Pages} answer=${answer} page=${query.page} at=${(page) => `#${api.address(`/kind/${kind.name}`, { ...query, page })}`} />
      <details><summary>JSON</summary><${Raw} path=${path} of=${answer} /></details>`}</div>`;
}

// Filters are what a list can be asked for. Nothing is asked for until the form is sent.
function Filters({ of, query, go }) {
  const asked = () => of.filters.flatMap(({ name, ops }) => Object.entries(ops).filter(([, parameter]) => query[parameter] !== undefined)
    .map(([op, parameter]) => ({ name, op, value: query[parameter] })));
  const [rows, setRows] = useState(asked);
  useEffect(() => setRows(asked()), [JSON.stringify(query)]);
  const [search, setSearch] = useState(query.search || '');
  const [ordering, setOrdering] = useState(query.ordering || '');
  useEffect(() => { setSearch(query.search || ''); setOrdering(query.ordering || ''); }, [query.search, query.ordering]);
  const filter = (name) => of.filters.find((choice) => choice.name === name);
  const change = (i, next) => setRows(rows.map((row, at) => (at === i ? { ...row, ...next } : row)));
  const send = (list = rows) => go({ search, ordering, pageSize: query.pageSize,
    ...Object.fromEntries(list.map(({ name, op, value }) => [filter(name).ops[op], value])) });
  const add = (event) => {
    const name = event.target.value;
    setRows([...rows, { name, op: Object.keys(filter(name).ops)[0], value: '', fresh: true }]);
    event.target.value = '';
  };
  const orders = [...new Set([...of.orders.flatMap((name) => [name, `-${name}`]), ...ordering ? [ordering] : []])];
  return html`<form role="search" onSubmit=${(event) => { event.preventDefault(); send(); }}>
    ${of.search && html`<label>${say('search')} <input type="search" value=${search}
      onInput=${(event) => setSearch(event.target.value)} /></label>`}
    ${orders.length > 0 && html`<label>${say('ordering')} <select value=${ordering} onChange=${(event) => setOrdering(event.target.value)}>
      <option value="">${say('as_it_comes')}</option>
      ${orders.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
    ${rows.map((row, i) => {
      const { ops, schema, doc } = filter(row.name);
      return html`<fieldset key=${i} title=${doc}><legend>${row.name}</legend>
        <select aria-label=${`${row.name}: ${say('comparison')}`} value=${row.op}
          onChange=${(event) => change(i, { op: event.target.value, value: '' })}>
          ${Object.keys(ops).map((op) => html`<option value=${op}>${OPS[op]}</option>`)}</select>
        <${Input} label=${`${row.name} ${OPS[row.op]}`} schema=${schema} op=${row.op}
          value=${row.value} focus=${row.fresh} set=${(value) => change(i, { value })} />
        <button type="button" aria-label=${say('remove', { name: row.name })}
          onClick=${() => { const left = rows.filter((_, at) => at !== i); setRows(left); send(left); }}>×</button>
      </fieldset>`;
    })}
    ${of.filters.length > 0 && html`<label>${say('filter')} <select value="" onChange=${add}><option value="">${say('add')}</option>
      ${of.filters.map(({ name, doc }) => html`<option value=${name} title=${doc}>${name}</option>`)}</select></label>`}
    <button class="main">${say('find')}</button>
  </form>`;
}

// Input takes the value of a filter, as its schema has it.
function Input({ label, schema, op, value, set, focus }) {
  const type = [schema.type].flat()[0];
  const onInput = (event) => set(event.target.value);
  const options = op === 'isnull' || (type === 'boolean' && op !== 'in')
    ? [{ value: 'true' }, { value: 'false' }] : op !== 'in' && choices(schema);
  const given = { 'aria-label': label, value, onInput, ref: focus ? focusOnce : null };
  if (options) {
    return html`<select ...${given}><option value="">…</option>
      ${options.map((choice) => html`<option value=${choice.value}>${choice.value} ${choice.text}</option>`)}</select>`;
  }
  const day = /^date/.test(schema.format || '') && op !== 'in' && /^(\d{4}-\d\d-\d\d)?$/.test(value);
  const figure = /^(integer|number)$/.test(type) && op !== 'in';
  return html`<input ...${given} type=${day ? 'date' : figure ? 'number' : 'text'} step="any"
    placeholder=${op === 'in' ? '…, …' : null} />`;
}
const focused = new WeakSet();
function focusOnce(element) {
  if (!element || focused.has(element)) return;
  focused.add(element);
  element.focus();
}

function Record({ kind, id, tab = '', query }) {
  const single = readable(kind);
  const path = single ? `${kind.path}${id}/` : api.address(kind.list, { id__in: id });
  const schema = one(kind);
  const found = useRead(async () => {
    const answer = await api.call(path);
    const of = single ? answer : answer.results[0];
    return of ? { answer, of, named: await titles(kind, schema, [of]), fields: await custom(kind) } : {};
  }, [path]);
  const below = parts(kind);
  const at = (name) => `#/kind/${kind.name}/${id}${name ? `?tab=${name}` : ''}`;
  const tabs = [['', say('fields')], ...kind.history ? [['history', say('history')]] : [],
    ...kind.timeline ? [['timeline', say('timeline')]] : [],
    ...below.map(({ name }) => [name, name]), ['json', 'JSON']];
  const part = below.find(({ name }) => name === tab);
  const { of, answer, named, fields = [] } = found.data || {};
  return html`<div><p><a href=${`#/kind/${kind.name}`}>${say(`kind_${kind.name}`)}</a></p>
    <${Title} name=${of ? titleOf(of) : `${kind.name}:${id}`}>${of ? titleOf(of) : id} <code>${kind.name}:${id}</code><//>
    <nav class="tabs" aria-label=${say('about')}>${tabs.map(([name, text]) => html`<a href=${at(name)}
      aria-current=${tab === name ? 'page' : null}>${text}</a>`)}</nav>
    <${Reading} of=${found} />
    ${found.data && !of && html`<p class="soft">${say('nothing')}</p>`}
    ${of && (part ? html`<${Part} key=${tab} part=${part} id=${id} page=${query.page} at=${at(tab)} />`
      : tab === 'history' ? html`<${History} object=${`${kind.name}:${id}`} page=${query.page} at=${at(tab)} />`
        : tab === 'timeline' ? html`<${Timeline} path=${`${path}timeline/`} page=${query.page} at=${at(tab)} />`
          : tab === 'json' ? html`<${Raw} path=${path} of=${answer} />`
            : html`<div>${kind.name === 'document' && html`<${Papers} of=${of} />`}
              <${Fields} kind=${kind} schema=${schema} of=${without(kind, of)} named=${named}
                labels=${Object.fromEntries(fields.map(({ name, label }) => [name, label]))} />
              <${Referring} kind=${kind} id=${id} /></div>`)}</div>`;
}

// Referring leads to the lists of records that refer to one. By which filter is said too, as a list may have several that do.
function Referring({ kind, id }) {
  const lists = referring(kind);
  return lists.length > 0 && html`<section><h2>${say('referring')}</h2><ul class="referring">${lists.map(({ kind: other, name, query }) =>
    html`<li><a href=${`#${api.address(`/kind/${other.name}`, query(id))}`}>${say(`kind_${other.name}`)} <code>${name}</code></a></li>`)}
  </ul></section>`;
}

// What the papers of a document show isn't shown again.
const without = (kind, of) => (kind.name === 'document'
  ? Object.fromEntries(Object.entries(of).filter(([name]) => !['files', 'signs', 'sealed'].includes(name))) : of);

function Part({ part: { path, row, kind, name }, id, page, at }) {
  const asked = api.address(path.replace(/\{\w+\}/, id), { page });
  const found = useRead(async () => {
    const answer = await api.call(asked).catch((error) => {
      if (error.status === 404) return []; // the record is there, and this isn't yet
      throw error;
    });
    const rows = answer.results || (Array.isArray(answer) ? answer : undefined);
    return { answer, rows, named: kind && rows ? await titles(kind, row, rows) : {} };
  }, [asked]);
  const { answer, rows, named } = found.data || {};
  return html`<div><${Reading} of=${found} />
    ${rows?.length > 0 && html`<${Table} kind=${kind || { name }} row=${row} rows=${rows} label=${name}
      named=${named} link=${Boolean(kind)} />`}
    ${rows && !rows.length && html`<p class="soft">${say('nothing')}</p>`}
    <${Pages} answer=${answer} page=${page} at=${(to) => `${at}&page=${to}`} />
    ${answer && (rows ? html`<details><summary>JSON</summary><${Raw} path=${asked} of=${answer} /></details>`
      : html`<${Raw} path=${asked} of=${answer} />`)}</div>`;
}

const by = ({ user, feed, key }) => (user ? `user:${user}` : feed ? `feed_token:${feed}` : key ? `key:${key}` : '');

// MOMENT is how the API writes a moment. A history has fields of parts too, and of before, which no schema tells of.
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function History({ object, page, at }) {
  const found = useRead(() => api.read('/v1/crm/history/', { object, page }), [object, page]);
  // The platform keeps the last requests only: an older one, and one of a platform before this one, leads nowhere.
  const kept = useRead(() => api.local('requests').catch(() => []), [object, page]);
  const asked = (id) => ((kept.data || []).some((one) => one.request_id === id)
    ? html`<a href=${`#${api.address('/requests', { id })}`}><code>${id}</code></a>` : html`<code>${id}</code>`);
  const show = (value) => {
    if (value === null) return html`<span class="soft">—</span>`;
    if (typeof value === 'object') return html`<code>${JSON.stringify(value)}</code>`;
    return MOMENT.test(value) ? html`<${Moment} at=${value} />` : String(value);
  };
  return html`<div><${Reading} of=${found} />
    ${found.data?.results.map(({ id, action, at: moment, request_id: request, changes, ...who }) => html`<section class="entry" key=${id}>
      <h2><${Moment} at=${moment} /> · ${action}</h2><p class="soft">${by(who)} ${request && asked(request)}</p>
      ${changes.length > 0 && html`<${Grid} label=${`${action} ${id}`} head=${[say('field'), say('was'), say('is')]}>
        ${changes.map(({ field, from, to }) => html`
          <tr><th scope="row">${field}</th><td>${show(from)}</td><td>${show(to)}</td></tr>`)}<//>`}
    </section>`)}
    ${found.data?.results.length === 0 && html`<p class="soft">${say('nothing')}</p>`}
    <${Pages} answer=${found.data} page=${page} at=${(to) => `${at}&page=${to}`} /></div>`;
}

function Timeline({ path, page, at }) {
  const found = useRead(() => api.read(path, { page }), [path, page]);
  return html`<div><${Reading} of=${found} />
    <ol class="timeline">${found.data?.results.map(({ at: moment, events, ...who }) => html`<li>
      <p class="soft"><${Moment} at=${moment} /> ${by(who)}</p>
      <ul>${events.map(({ type, text, object, amount }) => html`<li>${text}
        ${amount && html` <b class="number">${number(amount, { minimumFractionDigits: 2 })}</b>`}
        ${object && html` <a href=${`#/kind/${object.replace(':', '/')}`}>${object}</a>`}
        ${type && html` <code class="soft">${type}</code>`}</li>`)}</ul></li>`)}</ol>
    <${Pages} answer=${found.data} page=${page} at=${(to) => `${at}&page=${to}`} /></div>`;
}
