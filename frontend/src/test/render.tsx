import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Toasts } from '@/ui';
import { theme } from '@/ui/theme';

/** Shows a page as the app does, with notices and a place for every other address; answers where it is. */
export function renderPage(Page: () => ReactNode): { where: () => string } {
  const root = createRootRoute({
    component: () => (
      <>
        <Outlet />
        <Toasts />
      </>
    ),
  });
  const home = createRoute({ getParentRoute: () => root, path: '/', component: Page });
  const elsewhere = createRoute({ getParentRoute: () => root, path: '$', component: () => null });
  const history = createMemoryHistory({ initialEntries: ['/'] });
  const router = createRouter({ routeTree: root.addChildren([home, elsewhere]), history });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { where: () => history.location.pathname };
}
