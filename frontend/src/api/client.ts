import createClient, { type Middleware } from 'openapi-fetch';
import { announceRename } from './renamed';
import type { components, paths } from './schema';

/** The types of the API's bodies, by their names in the OpenAPI document. */
export type Schemas = components['schemas'];
/** The body of an error response. Its texts are not translated; see problem.ts. */
export type Problem = Schemas['Problem'];

/** An error response of the server. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
    /** Seconds to wait before the next attempt, from the Retry-After header. */
    readonly retryAfter?: number,
  ) {
    super(problem.detail);
    this.name = 'ApiError';
  }
}

/** The server could not be reached, or a proxy answered instead of the server. */
export class OfflineError extends Error {
  constructor(cause?: unknown) {
    super('the server cannot be reached', { cause });
    this.name = 'OfflineError';
  }
}

let csrf = '';
const signedOutListeners = new Set<() => void>();

/** Sets the CSRF token of the session. Every request that changes data must send it. */
export function setCsrf(token: string): void {
  csrf = token;
}

/** Calls the listener when the server reports the end of the session. The returned function removes the listener. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

const session: Middleware = {
  onRequest({ request }) {
    if (!['GET', 'HEAD'].includes(request.method) && csrf) request.headers.set('X-CSRF-Token', csrf);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return undefined;
    throw await errorOf(response, schemaPath !== '/api/v1/session' && schemaPath !== '/api/v1/setup');
  },
  onError({ error }) {
    return error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')
      ? error
      : new OfflineError(error);
  },
};

/** The error for a response that is not ok. */
async function errorOf(response: Response, mayEndSession = true): Promise<Error> {
  const problem = response.headers.get('Content-Type')?.startsWith('application/problem+json')
    ? ((await response.json().catch(() => undefined)) as Problem | undefined)
    : undefined;
  if (!problem) return new OfflineError(`${String(response.status)} ${response.statusText}`);
  if (response.status === 401 && mayEndSession)
    signedOutListeners.forEach((listener) => {
      listener();
    });
  const { reason, params } = problem;
  if ((reason === 'schedule_renamed' || reason === 'schedule_name_former') && params?.schedule && params.to)
    announceRename(params.schedule, params.to);
  const retryAfter = Number(response.headers.get('Retry-After'));
  return new ApiError(response.status, problem, Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined);
}

/** The client of the API. Calls throw ApiError or OfflineError, so a result always has `data`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  fetch: (request) => globalThis.fetch(request), // looked up for each call, because tests replace it
});
api.use(session);

/** Returns the body of a response that has one. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  const result = await call;
  return result.data as T;
}

/**
 * A random key for the Idempotency-Key header. It does not use `crypto.randomUUID`, which browsers offer only over TLS
 * and on localhost.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
