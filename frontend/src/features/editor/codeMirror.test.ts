import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { describe, expect, it } from 'vitest';
import { replaceSelection } from './codeMirror';

const open = (doc: string, anchor: number, head: number, more: unknown[] = []) =>
  new EditorView({
    parent: document.body,
    state: EditorState.create({ doc, selection: { anchor, head }, extensions: [replaceSelection, more as never] }),
  });
const type = (view: EditorView, data: string | null, inputType = 'insertText', isComposing = false) => {
  const event = new InputEvent('beforeinput', { data, inputType, isComposing, bubbles: true, cancelable: true });
  view.contentDOM.dispatchEvent(event);
  return event.defaultPrevented;
};

describe('typed text', () => {
  it('replaces a selection without the browser', () => {
    const view = open('select 1;', 0, 9);
    expect(type(view, 'x')).toBe(true);
    expect(view.state.doc.toString()).toBe('x');
    expect(view.state.selection.main.head).toBe(1);
    view.destroy();
  });

  it('is left to the browser without a selection, from an input method, and in a read-only editor', () => {
    const nothing = open('select 1;', 3, 3);
    expect(type(nothing, 'x')).toBe(false);
    const all = open('select 1;', 0, 9);
    expect(type(all, '中', 'insertCompositionText', true)).toBe(false);
    expect(type(all, null, 'deleteContentBackward')).toBe(false);
    const still = open('select 1;', 0, 9, [EditorState.readOnly.of(true)]);
    expect(type(still, 'x')).toBe(false);
    for (const view of [nothing, all, still]) {
      expect(view.state.doc.toString()).toBe('select 1;');
      view.destroy();
    }
  });
});
