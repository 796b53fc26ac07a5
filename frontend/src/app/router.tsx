import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError, OfflineError } from '@/api/client';
import { keys, meQuery, setupQuery } from '@/api/queries';
import { NOT_FETCHED } from '@/api/reload';
import { checkBatchSearch } from '@/features/batch/search';
import { checkBatchesSearch } from '@/features/batches/search';
import { checkEditorSearch } from '@/features/editor/search';
import { checkSchedulesSearch } from '@/features/schedules/search';
import { Toasts } from '@/ui';
import { withInvalidUnset } from '@/ui/searchParams';
import { Failed } from './Failed';
import { NotFound, Nothing } from './NotFound';
import { Shell } from './Shell';

/** The component of a page. Its code is loaded with the page; without the server that fails as any call to it does. */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw NOT_FETCHED.test(String(error)) ? new OfflineError(error) : error;
      }),
    name,
  );

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Root, notFoundComponent: NotFound });

/** Where to go after the login: a path of this site, nothing else. */
const checkNext = (search: Record<string, unknown>): { next?: string } =>
  withInvalidUnset(
    { next: typeof search.next === 'string' && /^\/[^/\\]/.test(search.next) ? search.next : undefined },
    search,
  );

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: checkNext,
  component: lazyPage(() => import('@/features/auth'), 'LoginPage'),
  // Who is logged in already goes on; whoever the server does not know, or cannot be asked about, logs in.
  beforeLoad: async ({ context, search }) => {
    if (context.queries.getQueryState(keys.me)?.status === 'error') return; // just asked
    const me = await context.queries.ensureQueryData({ ...meQuery, retry: false }).catch(() => undefined);
    if (me) throw redirect({ href: search.next ?? '/', replace: true });
  },
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('@/features/auth'), 'SetupPage'),
});

/** Every page but these two wants somebody logged in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const state = await context.queries.ensureQueryData(setupQuery);
      throw state.needed
        ? redirect({ to: '/setup' })
        : redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
});

const schedules = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: checkSchedulesSearch,
  component: lazyPage(() => import('@/features/schedules'), 'SchedulesPage'),
});

/** What the addresses of schedules begin with, and what a person types who looks for all of them. */
const all = createRoute({
  getParentRoute: () => shell,
  path: '/schedules',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});

const ticks = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name/ticks',
  component: lazyPage(() => import('@/features/ticks'), 'TicksPage'),
});

const editor = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name',
  validateSearch: checkEditorSearch,
  component: lazyPage(() => import('@/features/editor'), 'EditorPage'),
});

const batches = createRoute({
  getParentRoute: () => shell,
  path: '/batches',
  validateSearch: checkBatchesSearch,
  component: lazyPage(() => import('@/features/batches'), 'BatchesPage'),
});

const batch = createRoute({
  getParentRoute: () => shell,
  path: '/batches/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: checkBatchSearch,
  component: lazyPage(() => import('@/features/batch'), 'BatchPage'),
});

const executors = createRoute({
  getParentRoute: () => shell,
  path: '/executors',
  validateSearch: (search: Record<string, unknown>): { executor?: string } =>
    withInvalidUnset(
      { executor: typeof search.executor === 'string' && search.executor ? search.executor : undefined },
      search,
    ),
  component: lazyPage(() => import('@/features/executors'), 'ExecutorsPage'),
});

/** An address that names nothing, for those who are logged in. */
const nothing = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: Nothing,
});

/** The pages by their addresses. */
export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      login,
      setup,
      shell.addChildren([schedules, all, editor, ticks, batches, batch, executors, nothing]),
    ]),
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: Failed,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}

/** What every page stands in, logged in or not. */
function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}
