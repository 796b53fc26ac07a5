import { EditorView } from '@codemirror/view';

/**
 * What is typed over a selection is put in its place here. Left to itself, a browser gives it the look of what it replaces,
 * by a style of its own that the page's policy refuses, and tells of that.
 */
export const typing = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || event.isComposing || view.composing) return false;
    if (view.state.readOnly || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});
