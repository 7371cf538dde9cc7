// The signer's NCALayer: the program of the certification centre that signs with a key on the signer's own computer, and
// listens on it at a WebSocket.

const MODULE = 'kz.gov.pki.knca.basics';
const SIGNING = '1.3.6.1.5.5.7.3.4'; // what a key for signing may be used for

// What can go wrong: 'missing' (not running), 'cancelled' (by the signer) or 'failed', with what NCALayer says.
export class NCALayerError extends Error {
  constructor(kind, message = '') {
    super(message || kind);
    this.kind = kind;
    this.said = message;
  }
}

// The request for a detached CMS of data in base64.
export function request(data, locale) {
  return {
    module: MODULE,
    method: 'sign',
    args: {
      allowedStorages: null,
      format: 'cms',
      data,
      signingParams: { decode: true, encapsulate: false, digested: false, tsaProfile: {} },
      signerParams: { extKeyUsageOids: [SIGNING] },
      locale,
    },
  };
}

// The CMS of an answer, in base64 on one line; null where it is no answer to a request. It is a text or the only one of a
// list, with or without the lines of PEM.
export function cmsOf(text) {
  let answer;
  try {
    answer = JSON.parse(text);
  } catch (e) {
    throw new NCALayerError('failed', String(text).slice(0, 200));
  }
  if (answer === null || typeof answer !== 'object') throw new NCALayerError('failed');
  if (!('status' in answer)) {
    if (answer.result && answer.result.version) return null; // its greeting
    throw new NCALayerError('failed', answer.message || '');
  }
  if (!answer.status) throw new NCALayerError('failed', [answer.message, answer.details].filter(Boolean).join(' '));
  const body = answer.body || {};
  if (!('result' in body)) throw new NCALayerError('cancelled');
  const result = Array.isArray(body.result) ? body.result[0] : body.result;
  const cms = typeof result === 'string' ? result.replace(/-----[^-]*-----/g, '').replace(/\s+/g, '') : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(cms)) throw new NCALayerError('failed');
  return cms;
}

// Lets the signer sign data in base64 with NCALayer, and returns the CMS. connected is called when NCALayer is there.
export function sign({ address, data, locale, connected = () => {}, Socket = globalThis.WebSocket, greeting = 1500, patience = 10000 }) {
  return new Promise((resolve, reject) => {
    let socket;
    try {
      socket = new Socket(address);
    } catch (e) {
      reject(new NCALayerError('missing'));
      return;
    }
    let isOpen = false;
    let asked = false;
    let timer = 0;
    const end = (f, value) => {
      clearTimeout(timer);
      socket.onopen = socket.onmessage = socket.onerror = socket.onclose = null;
      try {
        socket.close();
      } catch (e) { /* it is closed */ }
      f(value);
    };
    const ask = () => {
      asked = true;
      clearTimeout(timer);
      socket.send(JSON.stringify(request(data, locale)));
    };
    const lost = () => end(reject, new NCALayerError(isOpen ? 'failed' : 'missing'));
    timer = setTimeout(lost, patience);
    socket.onopen = () => {
      isOpen = true;
      clearTimeout(timer);
      connected();
      timer = setTimeout(ask, greeting); // some don't greet
    };
    socket.onmessage = (message) => {
      if (!asked) {
        ask();
        return;
      }
      try {
        const cms = cmsOf(message.data);
        if (cms !== null) end(resolve, cms);
      } catch (e) {
        end(reject, e);
      }
    };
    socket.onerror = lost;
    socket.onclose = lost;
  });
}
