import { yaml } from '@codemirror/lang-yaml';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { face } from '../../yaml/theme';
import styles from './History.module.css';

interface Props { before: string; after: string; labels: readonly [string, string]; wide: boolean }

const COLLAPSE = { margin: 3, minSize: 6 };

/** Two texts of YAML: side by side where there is room, else as one with what is gone above what came. */
export default function TextDiff({ before, after, labels, wide }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [first, second] = labels;
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const shared = (label: string): Extension[] => [
      face, yaml(), lineNumbers(), EditorView.lineWrapping, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ 'aria-label': label, 'tabindex': '0' }),
    ];
    if (wide) {
      const view = new MergeView({ parent, a: { doc: before, extensions: shared(first) }, b: { doc: after, extensions: shared(second) }, collapseUnchanged: COLLAPSE, gutter: true });
      return () => { view.destroy(); };
    }
    const view = new EditorView({
      parent, doc: after, extensions: [...shared(second), unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSE, gutter: true })],
    });
    return () => { view.destroy(); };
  }, [before, after, first, second, wide]);
  return <div ref={place} className={styles.text} />;
}
