// The papers of a document: its files, and its signs with how each came about.
import { html } from './htm.js';
import { choices, byName, fieldsOf, one, resolve } from './describe.js';
import { say } from './texts.js';
import { Grid, Moment, number, recordLink } from './ui.js';
import { File } from './values.js';

export function Papers({ of }) {
  const { files, signs } = fieldsOf(one(byName('document')));
  const [file, sign] = [fieldsOf(files.items || resolve(files).items), fieldsOf(signs.items || resolve(signs).items)];
  const told = (schema, value) => html`<span lang="en">${value} ${
    choices(schema)?.find((choice) => choice.value === String(value))?.text}</span>`;
  return html`<div><h2>${say('files')}</h2>
    <${Grid} label=${say('files')} head=${['id', 'type', 'content_type', 'size', 'sha256', say('open')]}>
      ${of.files.map(({ id, type, file: at, extra }) => html`<tr key=${id}><td>${id}</td>
        <td>${told(file.type, type)}</td><td>${extra.content_type}</td>
        <td class="number">${number(extra.size)}</td>
        <td><code>${extra.sha256?.slice(0, 12)}…</code></td><td><${File} at=${at} /></td></tr>`)}<//>
    <h2>${say('signs')}</h2>
    ${of.signs.length === 0 && html`<p class="soft">${say('nothing')}</p>`}
    ${of.signs.map(({ id, uuid, signer, status, method, stages }) => html`<section class="entry" key=${id}>
      <h3>${signer.name} · ${told(sign.status, status)}</h3>
      <p>${signer.type === 'client'
        && html`${recordLink('client', signer.outer_id, `client:${signer.outer_id}`)} · `}${
  told(sign.method, method)} · ${signer.phone}
        ${uuid && html` · <a href=${`/sign/${uuid}/`} target="_blank" rel="noopener">${say('signing_page')}</a>`}</p>
      ${stages.length > 0 && html`<${Grid} label=${`${say('stages')}: ${signer.name}`}
        head=${['created_at', 'status_from', 'status_to', 'method', 'user', 'ip', 'evidence']}>
        ${stages.map((stage) => html`<tr key=${stage.id}><td><${Moment} at=${stage.created_at} /></td>
          <td>${told(sign.status, stage.status_from)}</td>
          <td>${told(sign.status, stage.status_to)}</td><td>${stage.meta.method ?? '—'}</td><td>${stage.meta.user ?? '—'}</td>
          <td>${stage.meta.ip}</td>
          <td><code>${stage.meta.evidence ? `${stage.meta.evidence.slice(0, 12)}…` : '—'}</code></td></tr>`)}<//>`}
    </section>`)}
    <p><a href="/verify/" target="_blank" rel="noopener">${say('verify')}</a></p>
    <h2>${say('fields')}</h2></div>`;
}
