// The page on which anybody learns whether a file is what was sealed.
import { call, Refusal } from './api.mjs';
import { $, localTimes, moment, say, texts } from './dom.mjs';
import { sumOf } from './sha256.mjs';
import { documentsOf, fill, hashOf, isPDF, meaning, outcomeOf } from './steps.mjs';

const PATH = '/v2/documents/verify/';
const MOST_SENT = 4e6; // of a file that is sent whole; of a larger one its checksum is

let turn = 0; // what is asked last is shown, whatever is answered first

// Asks, and shows the answer.
async function check(ask, byCode, name = '') {
  turn += 1;
  const mine = turn;
  $('result').hidden = true;
  say($('says'), '');
  say($('progress'), texts.checking);
  try {
    const answer = await ask((part) => {
      if (mine === turn) say($('progress'), fill(texts.hashing, { percent: Math.round(part * 100) }));
    });
    if (mine === turn) show(answer, byCode, name);
  } catch (e) {
    if (mine === turn) say($('says'), e instanceof NoPDF ? fill(texts.no_pdf, { name }) : problem(e));
  }
  if (mine === turn) say($('progress'), '');
}

class NoPDF extends Error {}

function problem(e) {
  return e instanceof Refusal ? fill(meaning(texts, e, 'verify').text, { time: '1:00' }) : texts.not_read;
}

function show(answer, byCode, name) {
  const outcome = outcomeOf(answer, byCode);
  const [title, text] = texts.outcomes[outcome];
  $('result').dataset.outcome = outcome;
  $('result-heading').textContent = title;
  const documents = documentsOf(answer);
  const withdrawn = documents.some((r) => r.withdrawn);
  const erased = documents.some((r) => r.erased);
  $('result-text').textContent = [text, withdrawn && texts.withdrawn, erased && texts.erased].filter(Boolean).join(' ');
  $('result-detail').textContent = answer.problem || '';
  $('facts').replaceChildren(...documents.flatMap((r, i) => [...heading(i, documents.length), facts(r, name)]));
  $('result').hidden = false;
  $('result').focus();
}

// The heading of a document where there are several.
function heading(at, of) {
  if (of < 2) return [];
  const title = document.createElement('h3');
  title.textContent = fill(texts.document_of, { number: at + 1, documents: of });
  return [title];
}

function facts(r, name) {
  const ways = [['manual', 0], ['sms', 1], ['egov', 2]].filter(([way]) => r.methods && r.methods[way] > 0)
    .map(([way, i]) => `${texts.methods[i]}: ${r.methods[way]}`).join(', ');
  const rows = [
    ['file', name],
    ['sealed_at', r.sealed_at ? moment(r.sealed_at) : ''],
    ['withdrawn', r.withdrawn ? moment(r.withdrawn) : ''],
    ['signs', ways ? `${r.signs} (${ways})` : String(r.signs ?? '')],
    ['level', texts.levels[r.level] || r.level || ''],
    ['original', r.original],
    ['sealed', r.sealed],
  ];
  const list = document.createElement('dl');
  for (const [key, value] of rows) {
    if (!value) continue;
    const term = document.createElement('dt');
    term.textContent = texts.facts[key];
    const said = document.createElement('dd');
    said.textContent = value;
    if (key === 'original' || key === 'sealed') said.className = 'sum';
    list.append(term, said);
  }
  return list;
}

function checkFile(file) {
  check(async (progress) => {
    if (!isPDF(new Uint8Array(await file.slice(0, 1024).arrayBuffer()))) throw new NoPDF();
    if (file.size <= MOST_SENT) {
      const form = new FormData();
      form.append('file', file);
      return call(PATH, { method: 'POST', form });
    }
    return call(PATH, { method: 'POST', json: { sha256: await sumOf(file, progress) } });
  }, false, file.name);
}

function checkCode() {
  for (const link of document.querySelectorAll('nav a')) link.hash = location.hash; // the other languages show the same
  const sum = hashOf(location.hash);
  if (sum === null) say($('says'), texts.bad_hash);
  else if (sum) check(() => call(`${PATH}?sha256=${sum}`), true);
}

$('pick').addEventListener('change', () => {
  if ($('pick').files[0]) checkFile($('pick').files[0]);
  $('pick').value = ''; // so that the same file can be chosen again
});

const drop = $('drop');
drop.hidden = false;
for (const kind of ['dragover', 'dragleave', 'drop']) {
  // Beside the field, too: else a file that misses it takes the place of the page.
  addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', kind === 'dragover' && drop.contains(event.target));
    if (kind === 'drop' && event.dataTransfer.files[0]) checkFile(event.dataTransfer.files[0]);
  });
}
addEventListener('hashchange', checkCode);
localTimes();
checkCode();
