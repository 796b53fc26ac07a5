import { later } from '@/ui';
import type { Name } from '../expression/complete';
import type { Control } from '../fields/Field';
import type { Language } from '../schema/model';

export interface CodeProps {
  value: string;
  onChange: (text: string) => void;
  language: Language;
  /** What is offered after `$` or `:`, with that sign. */
  names: readonly { label: string; detail?: string }[];
  /** Names for `${{ … }}`, where that is filled in. */
  expressions?: readonly Name[];
  placeholder?: string;
  control: Control;
  label: string;
}

/** CodeMirror, fetched when the browser has nothing else to do. */
export const CodeEditor = later<CodeProps>(() => import('./CodeEditor').then((m) => m.default));
