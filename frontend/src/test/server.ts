import { vi } from 'vitest';
import type { Problem } from '@/api/client';

/** A call as the server sees it. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  key: string | null;
  body: unknown;
}

/** What the server answers: a body, with its status if that is not 200. */
export interface Answer {
  status?: number;
  body: unknown;
}

/** The call, or its answer, is lost on the way. */
export const LOST = Symbol('lost');

/** A refusal with its kind and reason. */
export function refusal(status: number, code: Problem['code'], over: Partial<Problem> = {}): Answer {
  return {
    status,
    body: { type: `urn:hivego:problem:${code}`, title: code, status, code, detail: `the server says ${code}`, ...over },
  };
}

/**
 * Stands in for the server until the test ends. Returns the list of calls, in their order. Unknown paths are answered
 * as not found.
 */
export function fakeServer(
  answer: (call: Call) => Answer | typeof LOST | undefined | Promise<Answer | typeof LOST | undefined>,
): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url);
    const text = await request.text();
    const call: Call = {
      method: request.method,
      path: url.pathname.replace('/api/v1', ''),
      query: url.searchParams,
      key: request.headers.get('Idempotency-Key'),
      body: text === '' ? undefined : JSON.parse(text),
    };
    calls.push(call);
    const given = await answer(call);
    if (given === LOST) throw new TypeError('Failed to fetch');
    const { status = 200, body } = given ?? refusal(404, 'not_found');
    return new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' },
    });
  });
  return calls;
}
