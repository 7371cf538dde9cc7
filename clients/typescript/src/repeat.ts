/** Sends one request. */
export type Send = (request: Request) => Promise<Response>;

const BUSY = [502, 503, 504];
const LONGEST_WAIT = 10_000; // milliseconds; whoever is told to wait longer is told so, and decides

/**
 * Sends a request, and again when it was refused for the moment or its answer was lost, at most `tries` times in all. `safe` says that
 * the request may be carried out more than once: without it only what the platform hasn't begun is sent again.
 */
export async function repeat(send: Send, request: Request, tries: number, safe: boolean): Promise<Response> {
  for (let left = tries - 1; ; left -= 1) {
    let pause = 200 * 2 ** (tries - 1 - left) * (0.5 + Math.random());
    try {
      const response = await send(left > 0 ? request.clone() : request);
      const after = Number(response.headers.get('Retry-After') ?? NaN) * 1000;
      // 409 with Retry-After is the first of two requests with one key, which is still under way.
      const again = response.status === 429 || safe && (BUSY.includes(response.status) || response.status === 409 && after > 0);
      if (!again || left === 0 || after > LONGEST_WAIT) {
        await response.clone().arrayBuffer(); // an answer that breaks off is a lost one
        return response;
      }
      await response.body?.cancel();
      if (after >= 0) pause = after;
    } catch (error) {
      if (!safe || left === 0 || request.signal.aborted) throw error;
    }
    await sleep(pause, request.signal);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
