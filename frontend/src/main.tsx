import './ui/mantine';
import './ui/fonts.css';
import './ui/tokens.css';
import './ui/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { newQueryClient } from '@/api/queries';
import { newRouter, watchSession } from '@/app/router';
import { startI18n } from '@/i18n';
import { fontReady } from '@/ui/fontReady';
import { resolver, theme } from '@/ui/theme';

const queries = newQueryClient();
const router = newRouter(queries);
watchSession(queries, router);

const container = document.getElementById('root');
if (!container) throw new Error('the page has no root');
await Promise.all([startI18n(), fontReady()]);
createRoot(container).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
