import type { Schemas } from './types.js';

/** The name by which programs tell an error apart. */
export type ErrorCode = Schemas['ErrorCode'];

/** What is wrong with a field: `pointer` leads to it in the body that was sent. */
export type FieldProblem = Schemas['FieldProblem'];

/** An error as the API answers it: RFC 9457, and what belongs to some codes, such as `conflicts` to `overlap`. */
export type Problem = Schemas['Problem']
  & Partial<Pick<Schemas['Conflict'], 'allowed' | 'conflicts' | 'held_by' | 'line' | 'request'>>
  & Partial<Pick<Schemas['RevisionError'], 'etag'>>
  & {
    /** Ids of the records that have the values that must be unique, by field; of an import a value each. */
    taken_by?: Record<string, number> | Schemas['TakenValue'][];
  };

/** Any answer but a success. */
export class TenantryError extends Error {
  override readonly name = 'TenantryError';
  readonly status: number;
  /** Undefined if the answer isn't the API's own, but that of something on the way. */
  readonly code: ErrorCode | undefined;
  /** What is wrong with fields. */
  readonly errors: readonly FieldProblem[];
  /** The values in the message. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Names the request in the logs of the platform. */
  readonly requestId: string | undefined;
  /** The answer as it came. */
  readonly problem: Partial<Problem>;

  constructor(response: Response, body: unknown) {
    const problem: Partial<Problem> = typeof body === 'object' && body !== null ? body : {};
    super(problem.detail ?? `${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    this.params = problem.params ?? {};
    this.requestId = response.headers.get('X-Request-Id') ?? undefined;
    this.problem = problem;
  }
}
