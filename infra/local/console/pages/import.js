// An import: a sheet is tried first, and what is wrong with it is told by its cells. Nothing is written before all of its rows are right.
import { html, useEffect, useRef, useState } from './htm.js';
import { call, company, read, who } from './api.js';
import { language, listed, say } from './texts.js';
import { Failure, Grid, Title, number, recordLink } from './ui.js';

// What the API imports: where to, where its template is, and which list has it then.
const IMPORTS = [
  { name: 'individuals', title: () => say('import_individuals'), kind: 'individual', list: 'client',
    to: '/v1/crm/clients/import/individual/', template: '/v1/crm/clients/import/template/' },
  { name: 'legal', title: () => say('import_legal'), kind: 'legal', list: 'client',
    to: '/v1/crm/clients/import/legal/', template: '/v1/crm/clients/import/template/' },
  { name: 'inventory', title: () => say('import_inventory'), list: 'inventory',
    to: '/v1/crm/inventories/import/', template: '/v1/crm/inventories/import/template/' },
];
const MOST_WARNINGS = 100; // that the API tells

// sent sends a sheet; without a key it is only tried. A sheet that is sent again under its key is written once.
function sent(of, file, key) {
  const body = new FormData();
  body.append('file', file);
  return call(of.to + (key ? '' : '?dry_run=true'), { method: 'POST', body, headers: key && { 'Idempotency-Key': key } });
}

// An import outlives its view: who comes back, in another language too, sees what has become of it. Nobody else does.
const kept = new Map(); // by whose it is
let shown = null;
let latest = 0;
const whose = () => JSON.stringify([who()?.username, who()?.tenant]);
const stay = (event) => event.preventDefault();

// The key of a sheet, by its digest, outlives the page too, until it is written, and is the same in all tabs: the same sheet is written
// under the same key, whoever loses its answer. The platform knows a key for a day. rows says that it may have been written.
const KEYS = 'tenantry-imports';
const LASTS = 20 * 60 * 60 * 1000;
const keys = () => JSON.parse(localStorage.getItem(KEYS)) || {};
const save = (all) => localStorage.setItem(KEYS, JSON.stringify(all));
const ended = (sum) => save((({ [sum]: _, ...others }) => others)(keys()));
function begin(sum, key, rows) {
  const before = keys()[sum];
  save({ ...keys(), [sum]: { key, rows, at: before?.rows ? before.at : Date.now() } }); // the day begins when it is first written
}
function keyOf(sum) {
  const all = Object.fromEntries(Object.entries(keys()).filter(([, { at }]) => Date.now() - at < LASTS));
  all[sum] ??= { key: crypto.randomUUID(), at: Date.now() };
  save(all);
  return all[sum];
}
async function digest(of, bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `${whose()} ${of.name} ${btoa(String.fromCharCode(...hash))}`;
}

export default function Import() {
  const [mine] = useState(whose);
  const [{ of, sheet, key, sum, waits, tried, done, error }, show] = useState(kept.get(mine) || { of: IMPORTS[0] });
  const [broken, fail] = useState();
  const outcome = useRef();
  const set = (state) => {
    const next = { spoken: language(), of, ...state };
    kept.set(mine, next); // whoever signed out meanwhile finds it on signing in again
    if (whose() === mine) shown?.(next);
  };
  // attempt tries a sheet. What comes of an earlier one is passed over.
  const attempt = async (to, picked) => {
    const current = ++latest;
    set({ of: to, sheet: picked, waits: true });
    let copy = picked; // of the bytes: the sheet may be changed by the program that has it open, before it is imported
    const come = await (async () => {
      const bytes = await picked.arrayBuffer();
      copy = new File([bytes], picked.name);
      const found = await digest(to, bytes);
      const { key: its, rows } = keyOf(found);
      // One that may have been written isn't tried: that would only find its own rows.
      if (rows) return { sum: found, key: its, tried: { data: { length: rows }, warnings: [] }, error: { message: say('no_answer') } };
      return { sum: found, key: its, tried: await sent(to, copy) };
    })().catch((fault) => ({ error: fault }));
    if (current === latest) set({ of: to, sheet: copy, ...come });
  };
  // write writes a sheet that was tried. Without an answer it is sent again under its key; one that is refused now is tried anew.
  const write = async () => {
    set({ sheet, key, sum, tried, waits: true });
    addEventListener('beforeunload', stay);
    begin(sum, key, tried.data.length);
    set(await sent(of, sheet, key).then((said) => { ended(sum); return { sheet, done: said }; }, (fault) => {
      if (fault.status === 400) { // any other refusal leaves open whether it was written before
        ended(sum);
        return { sheet, error: fault };
      }
      return { sheet, key, sum, tried, error: fault.status ? fault : { message: say('no_answer') } };
    }));
    removeEventListener('beforeunload', stay);
  };
  useEffect(() => {
    shown = show;
    const now = kept.get(mine);
    if (now) show(now); // an answer may have come after this was drawn
    if (now?.sheet && !now.waits && !now.done && now.spoken !== language()) attempt(now.of, now.sheet); // to be told in the new one
    return () => { if (shown === show) shown = null; };
  }, []);
  // What was pressed is gone once its outcome is told: who works with the keyboard goes on from there.
  useEffect(() => {
    if ((done || error) && document.activeElement === document.body) outcome.current.focus();
  }, [done, error]);
  const other = ({ target }) => {
    const to = IMPORTS[target.value];
    if (sheet && !done) attempt(to, sheet);
    else set({ of: to });
  };
  const template = () => read(of.template, { kind: of.kind, format: 'xlsx', language: language() }, 'blob').then((blob) => {
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: `${of.title()}.xlsx` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    fail();
  }).catch(fail);
  if (company()?.role === 'read-only') return html`<div><${Title}>${say('import')}<//><p>${say('import_role')}</p></div>`;
  const writing = Boolean(waits && tried); // meanwhile nothing else is begun: what is written is told
  const count = number((tried || done)?.data.length || 0);
  const told = tried || done || error?.body || {};
  const odd = tried?.warnings.length;
  const many = odd < MOST_WARNINGS ? odd : `≥ ${odd}`;
  const status = writing ? say('writing', { count }) : waits ? say('trying') : tried && !error ? say('would_import', { count })
    : done ? say('imported', { count }) : '';
  return html`<div><${Title}>${say('import')}<//><p>${say('about_import')}</p>
    <div class="bar"><label>${say('rows_are')} <select disabled=${writing} onChange=${other}>${IMPORTS.map((one, i) =>
    html`<option value=${i} selected=${one === of}>${one.title()}</option>`)}</select></label>
      <label>${say('sheet_file')} <input type="file" accept=".xlsx,.csv" disabled=${writing}
        onClick=${({ target }) => { target.value = ''; }} onChange=${({ target: { files: [picked] } }) => picked && attempt(of, picked)} /></label>
      <button type="button" onClick=${template}>${say('template')}</button></div>
    ${broken && html`<${Failure} error=${broken} />`}
    ${sheet && html`<p class="soft"><bdi>${sheet.name}</bdi></p>`}
    <div tabindex="-1" ref=${outcome}><p role="status">${status}</p>
      ${tried && html`<p><button type="button" class="main" disabled=${writing} onClick=${write}>${say('import_them', { count })}</button>
        ${odd > 0 && html` <b class="bad">${say('to_check', { count: many })}</b>`}</p>`}
      ${done && html`<p><a href="#/kind/${of.list}?ordering=-id">${say('show_list')}</a></p>`}
      <${Left} of=${told} />
      ${error && html`<${Wrong} error=${error} kind=${of.list} />`}
      ${told.warnings?.length > 0 && html`<h2>${say('warnings')}</h2>
        <${Cells} of=${told.warnings} kind=${of.list} label=${say('warnings')} />`}</div></div>`;
}

// Wrong is why a sheet is refused: cell by cell, or what is wrong with it as a whole, without the names of fields.
function Wrong({ error, kind }) {
  const { errors, file, data, taken_by: taken = [] } = error.body || {};
  if (errors?.length) {
    const title = say('mistakes', { count: number(errors.length) });
    const cells = errors.map((one) => ({ ...taken.find(({ row, field }) => row === one.row && field === one.field), ...one }));
    const others = new Set(taken.filter(({ id }) => id).map(({ row }) => row)).size;
    return html`<div role="alert"><h2>${title}</h2>
      ${others > 1 && html`<p>${say('there_already', { count: number(others) })}</p>`}<${Cells} of=${cells} kind=${kind} label=${title} /></div>`;
  }
  const whole = file || data?.non_field_errors;
  return whole ? html`<div class="failure" role="alert"><p>${whole.join(' ')}</p></div>` : html`<${Failure} error=${error} />`;
}

// apart is a stranger's text within another one, in which it turns nothing round.
const apart = (text) => `\u2068${text}\u2069`;

// Left is what an import has passed over.
function Left({ of: { ignored = [], similar = [] } }) {
  const names = ignored.filter((header) => !similar.some(({ name }) => name === header)).map(apart).join(', ');
  return html`<div>${names && html`<p>${say('columns_left', { names })}</p>`}
    ${similar.map(({ name, meant }) => html`<p>${say('column_meant', { name: apart(name), meant })}</p>`)}</div>`;
}

// Cells are cells by their addresses, as spreadsheets have them; a field that the sheet has no column for is in its row.
const Cells = ({ of, kind, label }) => html`<div class="cells"><${Grid} label=${label} head=${listed('cells_head')}>${of.map((
  { row, column, title, cell, message, id }) => html`<tr><th scope="row">${column || ''}${row} <small>${title}</small></th>
    <td>${cell}</td><td>${message} ${id && recordLink(kind, id, `${say('open')} № ${id}`)}</td></tr>`)}<//></div>`;
