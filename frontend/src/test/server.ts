import { vi } from 'vitest';
import type { Problem } from '@/api/client';

/** A request to the fake server. */
export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  key: string | null;
  body: unknown;
}

/** An answer of the fake server. The default status is 200. */
export interface Answer {
  status?: number;
  body: unknown;
}

/** The request, or its answer, is lost. */
export const LOST = Symbol('lost');

/** An error response with a code. */
export function refusal(status: number, code: Problem['code'], over: Partial<Problem> = {}): Answer {
  return {
    status,
    body: { type: `urn:hivego:problem:${code}`, title: code, status, code, detail: `the server says ${code}`, ...over },
  };
}

/** Replaces the server until the end of the test. Returns the list of requests. Other paths are answered with 404. */
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
    const result = await answer(call);
    if (result === LOST) throw new TypeError('Failed to fetch');
    const { status = 200, body } = result ?? refusal(404, 'not_found');
    return new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': status < 400 ? 'application/json' : 'application/problem+json' },
    });
  });
  return calls;
}
