import { lazyPreload } from '@/ui';
import type { CodeProps } from './CodeEditor';

/** CodeMirror, fetched when the browser has nothing else to do. */
export const LazyCodeEditor = lazyPreload<CodeProps>(() => import('./CodeEditor').then((m) => m.default));
