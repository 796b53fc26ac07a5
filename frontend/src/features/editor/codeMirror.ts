import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The style of code, from the design tokens of both themes. */
export const codeTheme: Extension = [
  EditorView.theme({
    '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '13px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
    '.cm-content': { padding: '12px 0', caretColor: 'var(--ink)' },
    '.cm-line': { padding: '0 18px 0 8px' },
    '.cm-gutters': { color: 'var(--ink-3)', backgroundColor: 'var(--surface)', borderRight: '1px solid var(--line)' },
    '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 18px', fontVariantNumeric: 'tabular-nums' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--ink) 4%, transparent)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--focus) 25%, transparent)',
    },
    '.cm-cursor': { borderLeftColor: 'var(--ink)' },
    '.cm-searchMatch': { backgroundColor: 'var(--honey-wash)', outline: '1px solid var(--line-strong)' },
    '.cm-foldPlaceholder': { color: 'var(--ink-2)', backgroundColor: 'var(--sunken)', border: '1px solid var(--line)' },
    '.cm-panels': { color: 'var(--ink)', backgroundColor: 'var(--paper)', borderColor: 'var(--line)' },
    '.cm-panels input': {
      color: 'var(--ink)',
      backgroundColor: 'var(--surface)',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-s)',
    },
    '.cm-panels button, .cm-button': {
      color: 'var(--ink)',
      background: 'var(--surface)',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-s)',
    },
    '.cm-tooltip': {
      color: 'var(--ink)',
      backgroundColor: 'var(--surface)',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--r-s)',
      boxShadow: 'var(--shadow-over)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', padding: '4px' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
      padding: '3px 8px',
      borderRadius: 'var(--r-s)',
      lineHeight: '18px',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      backgroundColor: 'var(--sunken)',
      color: 'var(--ink)',
    },
    '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
    '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
    '.cm-completionInfo': { maxWidth: '52ch', padding: '6px 10px', whiteSpace: 'pre-wrap' },
    '.cm-diagnostic': { fontFamily: 'var(--font)', padding: '6px 10px', whiteSpace: 'pre-wrap', maxWidth: '60ch' },
    '.cm-diagnostic-error': { borderLeft: '3px solid var(--failed)' },
    '.cm-diagnostic-warning': { borderLeft: '3px solid var(--retrying)' },
    '.cm-lintRange-error': {
      backgroundImage: 'none',
      textDecoration: 'underline wavy var(--failed)',
      textUnderlineOffset: '3px',
    },
    '.cm-lintRange-warning': {
      backgroundImage: 'none',
      textDecoration: 'underline wavy var(--retrying)',
      textUnderlineOffset: '3px',
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--running)' },
      { tag: [tags.string, tags.content], color: 'var(--ink)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--succeeded)' },
      { tag: tags.keyword, color: 'var(--ready)' },
      { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
      { tag: [tags.punctuation, tags.separator, tags.meta], color: 'var(--ink-2)' },
      { tag: tags.invalid, color: 'var(--failed)' },
    ]),
  ),
];

/**
 * Replaces a selection by typed text without the browser's help. The browser would copy the look of the replaced text
 * into an inline style, which the content security policy refuses and reports.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing || view.composing) return false;
    if (view.state.readOnly || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});
