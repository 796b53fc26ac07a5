import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema';

/** The types of the API's bodies, by their names in the OpenAPI document. */
export type Schemas = components['schemas'];
/** The body of an answer that reports an error; its texts are not translated (see problem.ts). */
export type Problem = Schemas['Problem'];

/** An answer of the server that is a problem; `problem` says what and where. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
    /** Seconds to wait, if the server said so. */
    readonly retryAfter?: number,
  ) {
    super(problem.detail);
    this.name = 'ApiError';
  }
}

/** The server could not be reached, or something between answered for it. */
export class OfflineError extends Error {
  constructor(cause?: unknown) {
    super('the server cannot be reached', { cause });
    this.name = 'OfflineError';
  }
}

let csrf = '';
const signedOut = new Set<() => void>();

/** Notes the session's text that every change must carry. */
export function setCsrf(text: string): void {
  csrf = text;
}

/** Calls a listener whenever the server says that the session has ended, until the returned function is called. */
export function onSignedOut(listener: () => void): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

const session: Middleware = {
  onRequest({ request }) {
    if (!['GET', 'HEAD'].includes(request.method) && csrf) request.headers.set('X-CSRF-Token', csrf);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return undefined;
    throw await failure(response, schemaPath !== '/api/v1/session' && schemaPath !== '/api/v1/setup');
  },
  onError({ error }) {
    return error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')
      ? error
      : new OfflineError(error);
  },
};

/** The error that an answer which is not ok stands for. */
async function failure(response: Response, mayEndSession = true): Promise<Error> {
  const problem = response.headers.get('Content-Type')?.startsWith('application/problem+json')
    ? ((await response.json().catch(() => undefined)) as Problem | undefined)
    : undefined;
  if (!problem) return new OfflineError(`${String(response.status)} ${response.statusText}`);
  if (response.status === 401 && mayEndSession)
    signedOut.forEach((listener) => {
      listener();
    });
  const wait = Number(response.headers.get('Retry-After'));
  return new ApiError(response.status, problem, Number.isFinite(wait) && wait > 0 ? wait : undefined);
}

/** The API. Calls throw ApiError or OfflineError; their `data` is then always there. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  fetch: (request) => globalThis.fetch(request), // looked up at each call: tests put their own there
});
api.use(session);

/** The data of an answer that has one. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  const answer = await call;
  return answer.data as T;
}

/**
 * A random key for the Idempotency-Key header. It does not use `crypto.randomUUID`, which browsers offer only over TLS
 * and on localhost.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
