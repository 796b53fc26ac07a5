import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render } from '@testing-library/react';
import type { FunctionComponent } from 'react';
import { vi } from 'vitest';
import { newQueryClient } from '@/api/queries';
import { type LiveFrame, LiveProvider } from '@/live';
import { theme } from '@/ui/theme';

/** The answers of the fake server by `METHOD /path`. A Response is sent unchanged, other values as JSON. */
export type Answers = Record<string, (call: { url: URL; body: unknown }) => unknown>;

interface FakeSocket {
  readyState: number;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number }) => void;
  send: (text: string) => void;
  close: () => void;
}

/**
 * Renders a page at an address, with a fake server. `calls` lists the requests, `frame` sends a frame of a topic over
 * the live connection, and `disconnect` breaks the connection.
 */
export function renderPage(
  Page: FunctionComponent,
  { at, path, answers }: { at: string; path: string; answers: Answers },
) {
  const calls: { method: string; url: URL; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (input: Request) => {
    const url = new URL(input.url);
    const text = input.method === 'GET' ? '' : await input.text();
    const body: unknown = text ? JSON.parse(text) : undefined;
    calls.push({ method: input.method, url, body });
    const answer = answers[`${input.method} ${url.pathname}`];
    if (!answer) return problem(404, 'not_found', `no answer for ${input.method} ${url.pathname}`);
    const value = await answer({ url, body });
    return value instanceof Response ? value : Response.json(value);
  });

  const sockets: FakeSocket[] = [];
  const followed = new Map<string, number>();
  vi.stubGlobal(
    'WebSocket',
    class implements FakeSocket {
      readyState = 0;
      onopen?: () => void;
      onmessage?: (event: { data: string }) => void;
      onclose?: (event: { code: number }) => void;
      constructor() {
        sockets.push(this);
        queueMicrotask(() => {
          this.readyState = 1;
          this.onopen?.();
        });
      }
      send(text: string) {
        const request = JSON.parse(text) as { op: string; id: number; topic?: string };
        if (request.op === 'follow' && request.topic) followed.set(request.topic, request.id);
      }
      close() {
        this.readyState = 3;
      }
    },
  );

  const frameNumbers = new Map<string, number>();
  const frame = (topic: string, sent: Partial<LiveFrame>) => {
    const next = sent.op === 'snapshot' ? 0 : (frameNumbers.get(topic) ?? 0) + 1;
    frameNumbers.set(topic, next);
    act(() => {
      sockets
        .at(-1)
        ?.onmessage?.({ data: JSON.stringify({ op: 'delta', id: followed.get(topic), epoch: 1, n: next, ...sent }) });
    });
  };
  const disconnect = () => {
    act(() => {
      sockets.at(-1)?.onclose?.({ code: 1006 });
    });
  };

  const root = createRootRoute({
    component: () => (
      <div id="content">
        <Outlet />
      </div>
    ),
  });
  const otherPaths = [
    '/',
    '/batches',
    '/batches/$id',
    '/executors',
    '/schedules/$name',
    '/schedules/$name/ticks',
  ].filter((p) => p !== path);
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ getParentRoute: () => root, path, component: Page }),
      ...otherPaths.map((p) => createRoute({ getParentRoute: () => root, path: p, component: () => null })),
    ]),
    history: createMemoryHistory({ initialEntries: [at] }),
  });
  const client = newQueryClient();
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <LiveProvider>
          <RouterProvider router={router as never} />
        </LiveProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { calls, frame, disconnect, router, client };
}

/** An error response of the server. */
export function problem(status: number, code: string, detail: string): Response {
  return new Response(JSON.stringify({ type: `urn:hivego:problem:${code}`, title: code, status, code, detail }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  });
}
