import type { Send } from './repeat.js';
import type { Schemas } from './types.js';

export type Tokens = Schemas['Tokens'];

/** Who asks: a user, whose tokens are renewed when they are refused, or a program with a key. */
export class Session {
  #tokens: Tokens | undefined;
  #renewal: Promise<boolean> | undefined;

  /** `renew` asks for new tokens, and answers undefined if the sign-in is over; `changed` is told of each change. */
  constructor(
    private readonly key: string | undefined,
    tokens: Tokens | undefined,
    private readonly renew: (refresh: string) => Promise<Tokens | undefined>,
    private readonly changed: (tokens: Tokens | undefined) => void,
  ) {
    this.#tokens = tokens;
  }

  get tokens(): Tokens | undefined {
    return this.#tokens;
  }

  set tokens(tokens: Tokens | undefined) {
    this.#tokens = tokens;
    this.changed(tokens);
  }

  /** Takes the tokens that somebody else has got for the same sign-in, without telling of it. */
  follow(tokens: Tokens | undefined): void {
    this.#tokens = tokens;
  }

  /** Sends a request with the token, and once more with a new one if it was refused. */
  async send(send: Send, request: Request): Promise<Response> {
    const used = this.#tokens;
    const response = await send(authorised(request.clone(), used?.access ?? this.key));
    if (response.status !== 401 || !used || !(await this.#renewed(used))) return response;
    await response.body?.cancel();
    return send(authorised(request, this.#tokens?.access));
  }

  /** Renews tokens, once for all who wait: a refresh token that is used twice ends the sign-in. */
  async #renewed(used: Tokens): Promise<boolean> {
    if (this.#tokens !== used && !this.#renewal) return this.#tokens !== undefined;
    this.#renewal ??= (async () => {
      try {
        const tokens = await this.renew(used.refresh);
        if (this.#tokens === used) this.tokens = tokens; // else somebody has signed in or out meanwhile
        return this.#tokens !== undefined;
      } finally {
        this.#renewal = undefined;
      }
    })();
    return this.#renewal;
  }
}

function authorised(request: Request, token: string | undefined): Request {
  if (token) request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}
