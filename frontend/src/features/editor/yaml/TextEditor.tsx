import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, openSearchPanel, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, Transaction } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { textChange, type TextFault } from './sync';
import { codeTheme, replaceSelection } from '../codeMirror';
import styles from './YamlView.module.css';

/** The commands of the text editor. */
export interface TextHandle {
  /** Scrolls to a line, counted from 1, and puts the cursor there. */
  goTo: (line: number, focus: boolean) => void;
  /** Opens the search, with the field of the replacement below it. */
  search: () => void;
}

interface Props {
  text: string;
  label: string;
  /** The texts of the search, by their English ones. */
  phrases: Readonly<Record<string, string>>;
  completion: CompletionSource;
  faults: readonly (TextFault & { text: string })[];
  onTyped: (text: string) => void;
  ref?: Ref<TextHandle>;
}

/** Marks a change that the author did not type. */
const external = Annotation.define<boolean>();

/** An editor for YAML. A new text replaces only the part that differs, so that the cursor keeps its place. */
export default function TextEditor({ text, label, phrases, completion, faults, onTyped, ref }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const typed = useRef(onTyped);
  useEffect(() => {
    typed.current = onTyped;
  });

  useLayoutEffect(() => {
    if (!container.current) return undefined;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        extensions: [
          codeTheme,
          replaceSelection,
          yaml(),
          history(),
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          drawSelection(),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          autocompletion({ icons: false, override: [completion] }),
          indentUnit.of('  '),
          EditorState.tabSize.of(2),
          EditorState.lineSeparator.of('\n'),
          keymap.of([...searchKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
          EditorState.phrases.of(phrases),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((t) => t.annotation(external)))
              typed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
    };
  }, [label, phrases, completion]);

  useLayoutEffect(() => {
    const now = view.current;
    const changes = now && textChange(now.state.doc.toString(), text);
    if (changes) now.dispatch({ changes, annotations: [external.of(true), Transaction.addToHistory.of(false)] });
  }, [text, label, phrases, completion]);

  useEffect(() => {
    const now = view.current;
    if (!now || now.state.doc.toString() !== text) return;
    now.dispatch(
      setDiagnostics(
        now.state,
        faults.flatMap((fault): Diagnostic[] => {
          if (fault.line === undefined || fault.line > now.state.doc.lines) return [];
          const line = now.state.doc.line(Math.max(1, fault.line));
          const from = Math.min(line.to, line.from + Math.max(0, (fault.column ?? 1) - 1));
          return [{ from, to: line.to, severity: fault.warning ? 'warning' : 'error', message: fault.text }];
        }),
      ),
    );
  }, [faults, text, label, phrases, completion]);

  useImperativeHandle(
    ref,
    () => ({
      goTo: (line, focus) => {
        const now = view.current;
        if (!now) return;
        const at = now.state.doc.line(Math.min(Math.max(1, line), now.state.doc.lines)).from;
        now.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
        if (focus) now.focus();
      },
      search: () => {
        if (view.current) openSearchPanel(view.current);
      },
    }),
    [],
  );
  return <div ref={container} className={styles.editor} />;
}
