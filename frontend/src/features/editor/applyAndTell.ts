import type { Command, DocumentStore } from '@/document';
import { toast } from '@/ui';

/** Applies a command and shows a notice. If the command changed something, a button of the notice undoes it. */
export function applyAndTell(store: DocumentStore, command: Command, texts: { done: string; undo: string }): void {
  const { past: before, apply } = store.getState();
  apply(command);
  const { past, undo } = store.getState();
  const takeBack = () => {
    if (store.getState().past === past) undo();
  };
  toast(texts.done, past === before ? {} : { action: { label: texts.undo, run: takeBack } });
}
