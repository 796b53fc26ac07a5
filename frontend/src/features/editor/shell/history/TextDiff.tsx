import { yaml } from '@codemirror/lang-yaml';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { codeTheme } from '../../codeMirror';
import styles from './History.module.css';

interface Props {
  before: string;
  after: string;
  labels: readonly [string, string];
  wide: boolean;
}

const COLLAPSE = { margin: 3, minSize: 6 };
/** The style of folded lines: from the design tokens, and without a character that few fonts have. */
const FOLDED = EditorView.theme({
  '.cm-collapsedLines.cm-collapsedLines': {
    padding: '4px 10px',
    color: 'var(--ink-2)',
    background: 'var(--sunken)',
    fontFamily: 'var(--font)',
  },
  '.cm-collapsedLines.cm-collapsedLines:hover': { color: 'var(--ink)' },
  '.cm-collapsedLines.cm-collapsedLines:before, .cm-collapsedLines.cm-collapsedLines:after': { content: 'none' },
});

/**
 * The difference of two YAML texts: side by side if `wide`, else in one column with removed lines above the added ones.
 */
export default function TextDiff({ before, after, labels, wide }: Props) {
  const { t } = useTranslation('editor');
  const container = useRef<HTMLDivElement>(null);
  const [first, second] = labels;
  useEffect(() => {
    const parent = container.current;
    if (!parent) return undefined;
    const shared = (label: string): Extension[] => [
      codeTheme,
      FOLDED,
      EditorState.phrases.of({ '$ unchanged lines': t('history.unchanged') }),
      yaml(),
      lineNumbers(),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ];
    if (wide) {
      const view = new MergeView({
        parent,
        a: { doc: before, extensions: shared(first) },
        b: { doc: after, extensions: shared(second) },
        collapseUnchanged: COLLAPSE,
        gutter: true,
      });
      return () => {
        view.destroy();
      };
    }
    const view = new EditorView({
      parent,
      doc: after,
      extensions: [
        ...shared(second),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSE, gutter: true }),
      ],
    });
    return () => {
      view.destroy();
    };
  }, [before, after, first, second, wide, t]);
  return <div ref={container} className={styles.text} />;
}
