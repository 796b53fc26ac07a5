import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRouter,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError, OfflineError, onSignedOut, setCsrf } from '@/api/client';
import { keys, meQuery, setupQuery } from '@/api/queries';
import { NOT_FETCHED } from '@/api/reload';
import { checkAlertsSearch } from '@/features/alerts/search';
import { checkSecretsSearch } from '@/features/secrets/search';
import { checkBackfillsSearch } from '@/features/backfill/search';
import { checkBatchSearch } from '@/features/batch/search';
import { checkBatchesSearch } from '@/features/batches/search';
import { checkCalendarSearch } from '@/features/calendars/search';
import { checkChainSearch } from '@/features/chain/search';
import { checkEditorSearch } from '@/features/editor/search';
import { checkAxisSearch } from '@/features/night/search';
import { checkForecastSearch } from '@/features/forecast/search';
import type { ReportsSearch } from '@/features/reports/search';
import { checkRunsSearch } from '@/features/runs/search';
import { checkTicksSearch } from '@/features/ticks/search';
import { checkSchedulesSearch } from '@/features/schedules/search';
import { loadTexts, type ON_DEMAND } from '@/i18n';
import { Toasts } from '@/ui';
import { withInvalidUnset } from '@/ui/searchParams';
import { BareNotFoundPage, ErrorPage, NotFoundPage } from './FallbackPages';
import { Shell } from './Shell';

/** A page whose code is loaded when it is opened. If the server cannot be reached, loading throws an OfflineError. */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw NOT_FETCHED.test(String(error)) ? new OfflineError(error) : error;
      }),
    name,
  );

/** Loads texts together with the page that needs them. */
async function withTexts<T>(page: Promise<T>, ...namespaces: (typeof ON_DEMAND)[number][]): Promise<T> {
  const [loaded] = await Promise.all([page, loadTexts(...namespaces)]);
  return loaded;
}

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Root,
  notFoundComponent: BareNotFoundPage,
});

/** Checks the address to open after the login: only a path of this site is allowed. */
const checkNext = (search: Record<string, unknown>): { next?: string; ended?: true } =>
  withInvalidUnset(
    {
      next: typeof search.next === 'string' && /^\/[^/\\]/.test(search.next) ? search.next : undefined,
      ended: search.ended === true ? true : undefined,
    },
    search,
  );

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: checkNext,
  component: lazyPage(() => withTexts(import('@/features/auth/LoginPage'), 'auth'), 'LoginPage'),
  // A user with a session is redirected. Without a session, or if the server cannot be reached, the login page is
  // shown.
  beforeLoad: async ({ context, search }) => {
    if (context.queries.getQueryState(keys.me)?.status === 'error') return; // the session was checked just before
    const me = await context.queries.ensureQueryData({ ...meQuery, retry: false }).catch(() => undefined);
    if (me) throw redirect({ href: search.next ?? '/', replace: true });
  },
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => withTexts(import('@/features/auth/SetupPage'), 'auth'), 'SetupPage'),
});

/** Whether a session of this page ended without a log out. */
let sessionEnded = false;

/** The frame of all pages that need a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery);
      sessionEnded = false;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const state = await context.queries.ensureQueryData(setupQuery);
      throw state.needed
        ? redirect({ to: '/setup' })
        : redirect({
            to: '/login',
            search: { next: location.href === '/' ? undefined : location.href, ended: sessionEnded || undefined },
          });
    }
  },
});

const schedules = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: checkSchedulesSearch,
  component: lazyPage(() => withTexts(import('@/features/schedules/SchedulesPage'), 'night'), 'SchedulesPage'),
});

/** All schedules on one time axis. */
const timeline = createRoute({
  getParentRoute: () => shell,
  path: '/timeline',
  validateSearch: checkAxisSearch,
  component: lazyPage(() => withTexts(import('@/features/night/AxisPage'), 'night'), 'AxisPage'),
});

/** `/schedules` redirects to the list of schedules, because users may type it. */
const schedulesRedirect = createRoute({
  getParentRoute: () => shell,
  path: '/schedules',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});

const ticks = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name/ticks',
  validateSearch: checkTicksSearch,
  component: lazyPage(() => withTexts(import('@/features/ticks/TicksPage'), 'planned', 'ticks'), 'TicksPage'),
});

const chain = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name/chain',
  validateSearch: checkChainSearch,
  component: lazyPage(() => withTexts(import('@/features/chain/ChainPage'), 'chain'), 'ChainPage'),
});

const runs = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name/runs',
  validateSearch: checkRunsSearch,
  component: lazyPage(() => withTexts(import('@/features/runs/RunsPage'), 'runs'), 'RunsPage'),
});

const editor = createRoute({
  getParentRoute: () => shell,
  path: '/schedules/$name',
  validateSearch: checkEditorSearch,
  component: lazyPage(() => withTexts(import('@/features/editor'), 'handlers', 'inspector', 'zoom'), 'EditorPage'),
});

const batches = createRoute({
  getParentRoute: () => shell,
  path: '/batches',
  validateSearch: checkBatchesSearch,
  component: lazyPage(() => withTexts(import('@/features/batches/BatchesPage'), 'batches', 'backfill'), 'BatchesPage'),
});

const batch = createRoute({
  getParentRoute: () => shell,
  path: '/batches/$id',
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: checkBatchSearch,
  component: lazyPage(
    () => withTexts(import('@/features/batch/BatchPage'), 'batch', 'inspector', 'task', 'log', 'zoom'),
    'BatchPage',
  ),
});

const backfills = createRoute({
  getParentRoute: () => shell,
  path: '/backfills',
  validateSearch: checkBackfillsSearch,
  component: lazyPage(() => withTexts(import('@/features/backfill/BackfillsPage'), 'backfill'), 'BackfillsPage'),
});

const forecast = createRoute({
  getParentRoute: () => shell,
  path: '/forecast',
  validateSearch: checkForecastSearch,
  component: lazyPage(
    () => withTexts(import('@/features/forecast/ForecastPage'), 'forecast', 'planned', 'ticks'),
    'ForecastPage',
  ),
});

const executors = createRoute({
  getParentRoute: () => shell,
  path: '/executors',
  validateSearch: (search: Record<string, unknown>): { executor?: string } =>
    withInvalidUnset(
      { executor: typeof search.executor === 'string' && search.executor ? search.executor : undefined },
      search,
    ),
  component: lazyPage(
    () => withTexts(import('@/features/executors/ExecutorsPage'), 'executors', 'handlers', 'inspector'),
    'ExecutorsPage',
  ),
});

const calendars = createRoute({
  getParentRoute: () => shell,
  path: '/calendars',
  component: lazyPage(() => withTexts(import('@/features/calendars/CalendarsPage'), 'calendars'), 'CalendarsPage'),
});

const calendar = createRoute({
  getParentRoute: () => shell,
  path: '/calendars/$name',
  validateSearch: checkCalendarSearch,
  component: lazyPage(() => withTexts(import('@/features/calendars/CalendarPage'), 'calendars'), 'CalendarPage'),
});

const alerts = createRoute({
  getParentRoute: () => shell,
  path: '/alerts',
  validateSearch: checkAlertsSearch,
  component: lazyPage(() => withTexts(import('@/features/alerts/AlertsPage'), 'alerts'), 'AlertsPage'),
});

const secrets = createRoute({
  getParentRoute: () => shell,
  path: '/secrets',
  validateSearch: checkSecretsSearch,
  component: lazyPage(() => withTexts(import('@/features/secrets/SecretsPage'), 'secrets'), 'SecretsPage'),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyPage(() => withTexts(import('@/features/settings/SettingsPage'), 'settings'), 'SettingsPage'),
});

const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reports',
  validateSearch: (search: Record<string, unknown>): ReportsSearch => search, // the page checks it
  component: lazyPage(() => withTexts(import('@/features/reports/ReportsPage'), 'reports'), 'ReportsPage'),
});

/** An unknown address, with a session. */
const notFound = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: NotFoundPage,
});

/** The router with all pages. */
export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      login,
      setup,
      shell.addChildren([
        schedules,
        schedulesRedirect,
        timeline,
        editor,
        ticks,
        chain,
        runs,
        batches,
        batch,
        backfills,
        executors,
        calendars,
        calendar,
        forecast,
        alerts,
        secrets,
        settings,
        reports,
        notFound,
      ]),
    ]),
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}

/** The root of every page, with or without a session. */
function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}

/**
 * Removes the user from the cache when the session has ended. The router then opens the login page, which returns to
 * the current address afterwards.
 */
export function watchSession(queries: QueryClient, router: AnyRouter): void {
  onSignedOut(() => {
    setCsrf('');
    if (queries.getQueryData(keys.me) === undefined) return; // there was no session
    sessionEnded = true;
    queries.removeQueries({ queryKey: keys.me });
    void router.invalidate();
  });
}
