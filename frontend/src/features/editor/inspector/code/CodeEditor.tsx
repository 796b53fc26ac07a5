import { autocompletion, completionKeymap, type CompletionSource } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { json } from '@codemirror/legacy-modes/mode/javascript';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { codeTheme, replaceSelection } from '../../codeMirror';
import { completionAt, insertName, type Name } from '../fields/completion';
import type { Control } from '../fields/Field';
import type { Language } from '../schema/model';

/** The props of CodeEditor. */
export interface CodeProps {
  value: string;
  onChange: (text: string) => void;
  language: Language;
  /** Names that are offered after `$` or `:`, each with that sign. */
  names: readonly { label: string; detail?: string }[];
  /** Names for `${{ … }}`; undefined if the server does not replace that here. */
  expressions?: readonly Name[];
  placeholder?: string;
  control: Control;
  label: string;
}

/** The style of code in a field of a form. */
const theme = EditorView.theme({
  '&': {
    height: 'auto',
    backgroundColor: 'var(--sunken)',
    fontSize: '12px',
    border: '1px solid var(--line)',
    borderRadius: 'var(--r-s)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px', borderColor: 'var(--focus)' },
  '&:not(.cm-focused):has([aria-invalid="true"])': { borderColor: 'var(--refused, var(--failed))' },
  '.cm-scroller': { lineHeight: '18px', minHeight: '54px', maxHeight: '420px' },
  '.cm-content': { padding: '9px 0' },
  '.cm-line': { padding: '0 11px' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword], color: 'var(--ready)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--succeeded)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--retrying)' },
  { tag: [tags.variableName, tags.special(tags.name), tags.definition(tags.variableName)], color: 'var(--running)' },
  { tag: [tags.standard(tags.name), tags.typeName], color: 'var(--unknown)' },
]);

const languages = {
  shell: () => StreamLanguage.define(shell),
  sql: () => sql(),
  json: () => StreamLanguage.define({ ...json, tokenTable: { property: tags.propertyName } }),
};

/** Marks a change that comes from the document, not from typing. */
const fromDocument = Annotation.define<boolean>();

/** The props that may change while the editor stays. */
type Latest = Pick<CodeProps, 'onChange' | 'names' | 'expressions'>;

/** Completes names of expressions inside `${{ … }}`, and names of code after `$` and `:`. */
const completionSource =
  (latest: () => Latest): CompletionSource =>
  (context) => {
    const text = context.state.doc.toString();
    const inside = completionAt(text, context.pos, latest().expressions ?? [], false);
    if (inside) {
      const apply = (target: EditorView, { label }: { label: string }) => {
        const done = insertName(text, inside, label, false);
        target.dispatch({
          changes: {
            from: inside.from,
            to: inside.to,
            insert: done.text.slice(inside.from, done.text.length - text.length + inside.to),
          },
          selection: { anchor: done.caret },
          userEvent: 'input.complete',
        });
      };
      return {
        from: inside.from,
        options: inside.names.map((name) => ({ label: name.text, detail: name.value, apply })),
        filter: false,
      };
    }
    const word = context.matchBefore(/[$:]\{?\w*$/);
    if (!word) return null;
    const braces = word.text.startsWith('${');
    const sign = word.text.slice(0, 1);
    const options = latest()
      .names.filter((name) => name.label.startsWith(sign))
      .map((name) => (braces ? { ...name, label: `\${${name.label.slice(1)}}` } : name));
    return options.length > 0 ? { from: word.from, options, validFor: /^[$:]\{?\w*$/ } : null;
  };

/** The extensions of an editor; `aria` holds the attributes that change while the editor stays. */
const extensionsOf = (
  { language, placeholder }: Pick<CodeProps, 'language' | 'placeholder'>,
  aria: Compartment,
  latest: () => Latest,
): Extension => [
  // It precedes the completions, which would consume the key.
  Prec.highest(
    keymap.of([
      {
        key: 'Escape',
        run: (target) => {
          target.setTabFocusMode(true);
          return false;
        },
      },
    ]),
  ),
  history(),
  bracketMatching(),
  autocompletion({ icons: false, override: [completionSource(latest)] }),
  languages[language](),
  syntaxHighlighting(colours),
  theme,
  codeTheme,
  replaceSelection,
  EditorView.lineWrapping,
  aria.of([]),
  placeholder ? placeholderText(placeholder) : [],
  keymap.of([...completionKeymap, indentWithTab, ...historyKeymap, ...defaultKeymap]),
  EditorView.updateListener.of((update) => {
    if (update.docChanged && !update.transactions.some((tr) => tr.annotation(fromDocument))) {
      update.view.setTabFocusMode(false);
      latest().onChange(update.state.doc.toString());
    }
  }),
  EditorView.domEventHandlers({
    focus: (_, target) => {
      target.setTabFocusMode(false);
      // The browser by itself scrolls only to the line of the caret.
      target.dom.scrollIntoView({ block: 'nearest' });
    },
  }),
];

/**
 * An editor for code. Tab inserts a tab; after Escape, it leaves the editor. Undo does not go back past the last change
 * from outside.
 */
export default function CodeEditor({
  value,
  onChange,
  language,
  names,
  expressions,
  placeholder,
  control,
  label,
}: CodeProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef<Latest>({ onChange, names, expressions });
  const aria = useRef(new Compartment());
  useEffect(() => {
    latest.current = { onChange, names, expressions };
  });
  const first = useRef({ value, placeholder });

  useEffect(() => {
    if (!container.current) return undefined;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: first.current.value,
        extensions: extensionsOf(
          { language, placeholder: first.current.placeholder },
          aria.current,
          () => latest.current,
        ),
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
    };
  }, [language]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: fromDocument.of(true),
    });
  }, [value, language]);

  const { id, 'aria-describedby': describedBy, 'aria-invalid': invalid } = control;
  useEffect(() => {
    view.current?.dispatch({
      effects: aria.current.reconfigure(
        EditorView.contentAttributes.of({
          id,
          tabindex: '0',
          'aria-label': label,
          'aria-multiline': 'true',
          ...(describedBy ? { 'aria-describedby': describedBy } : {}),
          ...(invalid ? { 'aria-invalid': 'true' } : {}),
        }),
      ),
    });
  }, [id, describedBy, invalid, label, language]);

  return <div ref={container} />;
}
