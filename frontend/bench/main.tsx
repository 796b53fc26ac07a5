// One page of the benchmark: ?view=scene|editor|plain&jobs=40&width=25. run.mjs drives it.
import '@mantine/core/styles.layer.css';
import '../src/ui/tokens.css';
import '../src/ui/base.css';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { toGraph } from '@/graph';
import { startI18n } from '@/i18n';
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

const asked = new URLSearchParams(location.search);
const definition = schedule(Number(asked.get('jobs')), Number(asked.get('width')));
const store = batch(definition);
window.change = () => change(store);
const place = document.getElementById('root');
if (!place) throw new Error('the page has no root');
await startI18n();

const start = performance.now();
const look = () => {
  if (!document.querySelector('.react-flow__node, [data-task], canvas')) requestAnimationFrame(look);
  else
    requestAnimationFrame(() => {
      setTimeout(() => {
        window.painted = performance.now() - start;
      });
    });
};
requestAnimationFrame(look);
const views: Record<string, () => ReactNode> = {
  plain: () => <Plain definition={definition} store={store} />,
  editor: () => <Editing definition={definition} />,
  scene: () => (
    <MantineProvider theme={theme} cssVariablesResolver={resolver}>
      <SceneView graph={toGraph(definition)} store={store} onSelect={() => undefined} />
    </MantineProvider>
  ),
};
createRoot(place).render(views[asked.get('view') ?? 'scene']?.());
