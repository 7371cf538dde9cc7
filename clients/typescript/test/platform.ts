import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Tenantry, type Options } from '@tenantry/client';

/** The platform that is running, as infra/clientcheck says. */
export const base = process.env['TENANTRY_URL'] ?? 'http://127.0.0.1:8000';

/** The demo company's user. */
export const demo = await (await fetch(`${base}/_local/demo/`)).json() as { username: string; password: string; tenant: number };

/** A client that is signed in as the demo user. */
export async function signedIn(options: Partial<Options> = {}): Promise<Tenantry> {
  const tenantry = new Tenantry({ baseUrl: base, ...options });
  await tenantry.signIn(demo.username, demo.password);
  return tenantry;
}

/**
 * What becomes of a request on its way: `lose` brings it to the platform and its answer to nobody, `cut` breaks the answer off, and `later`
 * asks for nine seconds of patience.
 */
export type Fate = 'pass' | 'lose' | 'cut' | 'later' | 503;

export interface Seen {
  method: string;
  path: string;
  key: string | undefined;
}

/** What stands between a client and the platform. `fate` decides about each request. */
export class Proxy {
  readonly seen: Seen[] = [];
  fate: (seen: Seen) => Fate = () => 'pass';
  readonly #server = createServer((from, to) => this.#serve(from, to));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => { this.#server.listen(0, '127.0.0.1', resolve); });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(from: IncomingMessage, to: ServerResponse): void {
    const key = from.headers['idempotency-key'];
    const seen = { method: from.method ?? '', path: from.url ?? '', key: typeof key === 'string' ? key : undefined };
    this.seen.push(seen);
    const fate = this.fate(seen);
    if (fate === 503 || fate === 'later') {
      to.writeHead(503, { 'Retry-After': fate === 'later' ? '9' : '0' }).end();
      return;
    }
    const out = forward(base + seen.path, { method: from.method ?? 'GET', headers: from.headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        if (fate === 'lose') {
          to.destroy();
          return;
        }
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        const body = Buffer.concat(parts);
        if (fate === 'cut') to.write(body.subarray(0, body.length / 2), () => to.destroy());
        else to.end(body);
      });
    });
    from.pipe(out);
  }
}
