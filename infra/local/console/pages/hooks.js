// Webhooks: what has come to the receiver of this machine, which is told what to answer, and the company's own webhooks with their
// deliveries.
import { html, useState } from './htm.js';
import { call, local, read as ask, who } from './api.js';
import { listed, say } from './texts.js';
import { Failure, Grid, Json, Moment, Reading, Title, number, useLive, useRead } from './ui.js';

export default function Hooks() {
  return html`<div><${Title}>${say('webhooks')}<//><${Receiver} />${who() && html`<${Own} />`}</div>`;
}

const receive = () => `${location.origin}/_local/hooks/receive`;

// useTold is a function that does something and then something else, and what went wrong with it.
function useTold(then) {
  const [error, fail] = useState();
  return [(does) => does().then(() => { fail(); then(); }, fail), error && html`<${Failure} error=${error} />`];
}

function Receiver() {
  const read = useLive(() => local('hooks/'), [], 1000);
  const [tell, failure] = useTold(read.again);
  const { answer, answers = [], secrets, deliveries = [] } = read.data || {};
  const told = (body) => tell(() => local('hooks/', { method: 'POST', body }));
  const use = (event) => {
    event.preventDefault();
    told({ secrets: event.target.secrets.value.split(/\s+/).filter(Boolean) });
  };
  return html`<section><p>${say('about_receiver')} <code>${receive()}</code></p>
    <div class="bar" role="group" aria-label=${say('answers')}>${say('answers')} ${answers.map((one) => html`<button type="button"
      aria-pressed=${String(one === answer)}
      onClick=${() => told({ answer: one })}>${one}</button>`)}</div>
    <p class="soft">${say('about_answers')} <code>curl ${location.origin}/_local/hooks/ -d '{"answer":"500"}'</code></p>
    <form onSubmit=${use}><label>${say('secrets')} <textarea name="secrets" rows="2" spellcheck=${false} autocomplete="off"
      placeholder="whsec_…"></textarea></label>
      <button>${say('use')}</button> <span role="status">${secrets > 0 && say('in_use', { count: secrets })}</span></form>
    ${failure}<${Reading} of=${read} />
    ${read.data && (deliveries.length ? html`<${Grid} label=${say('came')}
      head=${listed('came_head')}>${deliveries.map((one) => html`<tr key=${one.number}>
      <td><${Moment} at=${one.at} options=${{ dateStyle: 'short', timeStyle: 'medium' }} /></td>
      <td>${one.id || '–'}${one.times > 1 && html` <span class="soft">× ${one.times}</span>`}</td><td><b>${one.type}</b></td>
      <td class=${one.verified ? 'good' : 'bad'}>${one.verified ? say('verified') : `${say('not_verified')} ${one.problem}`}</td>
      <td>${one.answer}</td>
      <td><details><summary>${say('characters', { count: one.body.length })}</summary>
        <pre tabindex="0" role="region" aria-label=${one.id}>${one.headers}</pre>
        <${Json} of=${parsed(one.body)} label=${one.type} /></details></td></tr>`)}<//>` : html`<p>${say('none_came')}</p>`)}</section>`;
}

// parsed is what a body says; what is no JSON stays as it is.
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function Own() {
  const [chosen, choose] = useState();
  const read = useRead(() => ask('/v1/webhooks/'));
  const sent = useLive(() => (chosen ? ask(`/v1/webhooks/${chosen}/deliveries/`, { pageSize: 50 }) : Promise.resolve()), [chosen], 5000);
  const [does, failure] = useTold(() => { read.again(); sent.again(); });
  const post = (path, body) => does(() => call(`/v1/webhooks/${path}`, { method: 'POST', body }));
  const list = read.data || [];
  const button = (text, click, more) => html`<button type="button" ...${more} onClick=${click}>${text}</button> `;
  return html`<section><h2>${say('own_webhooks')}</h2>
    <p>${button(say('to_receiver'), () => post('', { url: receive(), types: ['*'] }))}</p>${failure}<${Reading} of=${read} />
    ${list.length > 0 && html`<${Grid} label=${say('own_webhooks')}
      head=${listed('webhooks_head')}>${list.map((one) => html`<tr key=${one.id}><td>${one.id}</td>
      <td>${one.url}</td><td>${one.types.join(' ')}</td>
      <td class=${one.enabled ? 'good' : 'bad'}>${one.enabled ? say('enabled') : one.disabled_reason || say('disabled')}</td>
      <td>${button(say('deliveries'), () => choose(chosen === one.id ? undefined : one.id), { 'aria-expanded': String(chosen === one.id) })}
        ${button(say('test'), () => post(`${one.id}/test/`))}</td></tr>`)}<//>`}
    ${chosen && html`<h2>${say('deliveries')}: ${chosen}</h2><${Reading} of=${sent} />
      ${sent.data && html`<${Grid} label=${say('deliveries')}
        head=${listed('deliveries_head')}>${sent.data.results.map((one) => html`<tr key=${one.id}>
        <td><${Moment} at=${one.created_at} /></td><td>${one.event}</td><td>${one.type}</td><td>${one.attempt} (${one.cause})</td>
        <td class=${one.succeeded ? 'good' : 'bad'}>${one.status} ${one.problem}</td><td class="number">${number(one.milliseconds)}</td>
        <td>${button(say('resend'), () => post(`${chosen}/deliveries/${one.id}/resend/`))}</td></tr>`)}<//>`}`}</section>`;
}
