// What the platform said to people: e-mails and SMS, the newest first.
import { html, useState } from './htm.js';
import { local } from './api.js';
import { say } from './texts.js';
import { Json, Moment, Reading, Title, Words, useLive } from './ui.js';

export default function Outbox() {
  const [sought, seek] = useState('');
  const [most, more] = useState(50);
  const read = useLive(() => local('outbox/'), [], 2000);
  const list = (read.data || [])
    .filter(({ to, subject, text }) => [to, subject, text].join('\n').toLowerCase().includes(sought.toLowerCase()));
  return html`<div class="outbox"><${Title}>${say('outbox')}<//>
    <p class="soft">${say('about_outbox')} <code>curl -s ${location.origin}/_local/outbox/</code></p>
    <form onSubmit=${(event) => event.preventDefault()}><label>${say('contains')} <input type="search"
      value=${sought} onInput=${(event) => seek(event.target.value)} /></label>
      <span class="soft" role="status">${read.data && say('found', { count: list.length })}</span></form>
    <${Reading} of=${read} />
    ${read.data?.length === 0 && html`<p>${say('no_messages')}</p>`}
    ${list.slice(0, most).map((message) => html`<${Message} key=${message.id} of=${message} />`)}
    ${list.length > most && html`<button type="button" onClick=${() => more(most + 50)}>${say('more')}</button>`}</div>`;
}

function Message({ of }) {
  const code = /(?<![\d/-])\d{6}(?![\d/-])/.exec(of.text);
  return html`<article class="entry"><p class="soft"><b>${of.channel}</b> → <b>${of.to}</b> <${Moment} at=${of.at} /> ${code
      && html`<code>${code[0]}</code>`}</p>
    ${of.subject && html`<h2>${of.subject}</h2>`}
    <pre class="letter"><${Words} text=${of.text} /></pre>
    <details><summary>JSON</summary><${Json} of=${of} /></details></article>`;
}
