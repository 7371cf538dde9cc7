import createClient from 'openapi-fetch';

import { TenantryError } from './error.js';
import { idempotent } from './idempotent.js';
import { repeat, type Send } from './repeat.js';
import { Session, type Tokens } from './session.js';
import type { paths } from './schema.js';
import type { Answer, Args, Item, ListPath, Method, PathOf, Schemas } from './types.js';

export interface Options {
  /** The platform's address, such as `https://api.example.com`. */
  baseUrl: string;
  /** The company that is meant, as `X-Tenant-Id` says it. Who is in one company alone needs none. */
  company?: number;
  /** The language of messages, as Accept-Language says it: `en`, `ru`, `kk`. */
  language?: string;
  /** A key for programs, `tnt_key_…`, instead of a sign-in. */
  key?: string;
  /** The tokens of an earlier sign-in, as `onTokens` got them. */
  tokens?: Tokens | undefined;
  /** Is told of each change of the tokens: keep them, and use no older ones. Undefined: the sign-in is over. */
  onTokens?: (tokens: Tokens | undefined) => void;
  /** How often a request is sent at most; 4 if it is left out. */
  tries?: number;
  /** Sends requests in the place of fetch; for tests, and for proxies. */
  fetch?: Send;
}

// POSTs without an Idempotency-Key that may happen twice. A refresh token whose answer was lost is taken again for some seconds.
const REPEATABLE = new Set<string>([
  '/v1/auth/login/', '/v1/auth/refresh/', '/v1/auth/logout/', '/v1/crm/requests/quote/', '/v1/crm/requests/{id}/quote/',
  '/v2/documents/uploads/', '/v2/documents/verify/',
] satisfies PathOf<'post'>[]);

// Sends requests without a token.
const NOBODY: Pick<Session, 'send'> = { send: (send, request) => send(request) };

/** The API of a platform, to one user or program. Whatever isn't a success is thrown as a TenantryError. */
export class Tenantry {
  /** The company that is meant from now on. */
  company: number | undefined;
  /** The language of messages from now on. */
  language: string | undefined;

  readonly #session: Session;
  readonly #http: ReturnType<typeof createClient<paths>>;
  readonly #tries: number;
  readonly #fetch: Send;

  constructor(options: Options) {
    this.company = options.company;
    this.language = options.language;
    this.#tries = options.tries ?? 4;
    this.#fetch = options.fetch ?? ((request) => fetch(request));
    this.#http = createClient<paths>({ baseUrl: options.baseUrl, querySerializer: { array: { style: 'form', explode: false } } });
    this.#session = new Session(options.key, options.tokens, (refresh) => this.#renew(refresh), options.onTokens ?? (() => {}));
  }

  /** The tokens of the sign-in; undefined if there is none. */
  get tokens(): Tokens | undefined {
    return this.#session.tokens;
  }

  /** Takes those that another tab of the same sign-in has got, or that it has signed out. `onTokens` isn't told. */
  set tokens(tokens: Tokens | undefined) {
    this.#session.follow(tokens);
  }

  /** Signs a user in. */
  async signIn(username: string, password: string): Promise<void> {
    this.#session.tokens = await this.#call<Tokens>('post', '/v1/auth/login/', { body: { username, password } }, NOBODY);
  }

  /** Ends the sign-in, here and on the platform. */
  async signOut(): Promise<void> {
    const tokens = this.#session.tokens;
    this.#session.tokens = undefined;
    if (tokens) await this.#call('post', '/v1/auth/logout/', { body: { refresh: tokens.refresh } }, NOBODY);
  }

  get<P extends PathOf<'get'>>(path: P, ...[init]: Args<P, 'get'>): Promise<Answer<P, 'get'>> {
    return this.#call('get', path, init);
  }

  /** Every POST that takes an Idempotency-Key has one: `params.header` may name another than a new uuid. */
  post<P extends PathOf<'post'>>(path: P, ...[init]: Args<P, 'post'>): Promise<Answer<P, 'post'>> {
    return this.#call('post', path, init);
  }

  put<P extends PathOf<'put'>>(path: P, ...[init]: Args<P, 'put'>): Promise<Answer<P, 'put'>> {
    return this.#call('put', path, init);
  }

  patch<P extends PathOf<'patch'>>(path: P, ...[init]: Args<P, 'patch'>): Promise<Answer<P, 'patch'>> {
    return this.#call('patch', path, init);
  }

  delete<P extends PathOf<'delete'>>(path: P, ...[init]: Args<P, 'delete'>): Promise<Answer<P, 'delete'>> {
    return this.#call('delete', path, init);
  }

  /** The answer to a GET as it came: for sheets (`headers: { Accept: 'text/csv' }`), and for headers such as ETag and Location. */
  async raw<P extends PathOf<'get'>>(path: P, ...[init]: Args<P, 'get'>): Promise<Response> {
    return (await this.#send('get', path, { ...init, parseAs: 'stream' })).response;
  }

  /** The pages of a list, one after the other, each asked for when it is needed; of 100 records unless `pageSize` says otherwise. */
  async *pages<P extends ListPath>(path: P, ...[init]: Args<P, 'get'>): AsyncGenerator<Answer<P, 'get'>, void> {
    const given: Given = init ?? {};
    for (let page = 1, next: string | null = ''; next !== null; page += 1) {
      const query = { pageSize: 100, ...given.params?.query, page };
      const answer = await this.#call<{ next: string | null }>('get', path, { ...given, params: { ...given.params, query } });
      next = answer.next;
      yield answer as Answer<P, 'get'>;
    }
  }

  /** The records of a list, from all of its pages. */
  async *list<P extends ListPath>(path: P, ...args: Args<P, 'get'>): AsyncGenerator<Item<P>, void> {
    for await (const page of this.pages(path, ...args)) yield* (page as { results: Item<P>[] }).results;
  }

  /** The events after a cursor, the oldest first, until none is new. The id of the last one is the cursor to go on from. */
  async *events({ after, types }: { after?: string; types?: string[] } = {}): AsyncGenerator<Schemas['LogEvent'], void> {
    for (let cursor = after; ;) {
      const query = { ...(cursor !== undefined && { after: cursor }), ...(types && { types }) };
      const { results, next_cursor } = await this.get('/v1/events/', { params: { query } });
      yield* results;
      if (next_cursor === cursor) return;
      cursor = next_cursor;
    }
  }

  /** Stores a file's bytes, and returns what a document, an import or an image then takes as its `file`. */
  async upload(file: Blob, name = file instanceof File ? file.name : 'file'): Promise<string> {
    const type = file.type || 'application/octet-stream';
    const { url, method, headers, file: stored } = await this.post('/v2/documents/uploads/', {
      body: { name, content_type: type, size: file.size },
    });
    const response = await repeat(this.#fetch, new Request(url, { method, headers, body: file }), this.#tries, true);
    if (!response.ok) throw new TenantryError(response, undefined);
    return stored;
  }

  async #call<A>(method: Method, path: string, init?: Given, session?: Pick<Session, 'send'>): Promise<A> {
    return (await this.#send(method, path, init, session)).data as A;
  }

  /** Sends a request, with the token of the session unless another one sends it. */
  async #send(method: Method, path: string, init?: Given, session: Pick<Session, 'send'> = this.#session): Promise<Result> {
    const keyed = method === 'post' && idempotent.has(path);
    // Sent again after a lost answer, a change of one revision would be refused, though it has happened.
    const conditional = init?.params?.header?.['If-Match'] !== undefined;
    const safe = method === 'post' ? keyed || REPEATABLE.has(path) : !conditional;
    const send: Send = (request) => repeat(this.#fetch, request, this.#tries, safe);
    const request = this.#http.request as (method: Method, path: string, init: object) => Promise<Result>;
    const { error, ...result } = await request(method, path, {
      ...init,
      headers: {
        Accept: 'application/problem+json, application/json;q=0.9',
        'Accept-Language': this.language,
        'X-Tenant-Id': this.company,
        'Idempotency-Key': keyed ? crypto.randomUUID() : undefined,
        ...init?.headers,
      },
      fetch: (sent: Request) => session.send(send, sent),
    });
    if (!result.response.ok) throw new TenantryError(result.response, error);
    return result;
  }

  async #renew(refresh: string): Promise<Tokens | undefined> {
    try {
      return await this.#call<Tokens>('post', '/v1/auth/refresh/', { body: { refresh } }, NOBODY);
    } catch (error) {
      if (error instanceof TenantryError && error.status === 401) return undefined;
      throw error;
    }
  }
}

/** What all calls take, whatever their operation. */
interface Given {
  params?: { header?: Record<string, unknown>; query?: object };
  body?: unknown;
  headers?: Record<string, string>;
  parseAs?: 'stream';
}

interface Result {
  data?: unknown;
  error?: unknown;
  response: Response;
}
