// The page of the benchmark: ?view=scene|editor|plain&jobs=40&width=25. run.mjs opens it.
import '@mantine/core/styles.layer.css';
import '../src/ui/tokens.css';
import '../src/ui/base.css';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { toGraph } from '@/graph';
import { loadTexts, startI18n } from '@/i18n';
import { SceneView } from '@/scene';
import { resolver, theme } from '@/ui/theme';
import { Editing } from './Editing';
import { Plain } from './Plain';
import { batch, change, schedule } from './schedule';

declare global {
  interface Window {
    /** Milliseconds from the data to the first frame that shows tasks. */
    painted?: number;
    change: () => () => void;
  }
}

const params = new URLSearchParams(location.search);
const definition = schedule(Number(params.get('jobs')), Number(params.get('width')));
const store = batch(definition);
window.change = () => change(store);
const container = document.getElementById('root');
if (!container) throw new Error('the page has no root');
await startI18n();
await loadTexts('zoom');

const start = performance.now();
const waitForTasks = () => {
  if (!document.querySelector('.react-flow__node, [data-task], canvas')) requestAnimationFrame(waitForTasks);
  else
    requestAnimationFrame(() => {
      setTimeout(() => {
        window.painted = performance.now() - start;
      });
    });
};
requestAnimationFrame(waitForTasks);
const views: Record<string, () => ReactNode> = {
  plain: () => <Plain definition={definition} store={store} />,
  editor: () => <Editing definition={definition} />,
  scene: () => (
    <MantineProvider theme={theme} cssVariablesResolver={resolver}>
      <SceneView graph={toGraph(definition)} store={store} onSelect={() => undefined} />
    </MantineProvider>
  ),
};
createRoot(container).render(views[params.get('view') ?? 'scene']?.());
