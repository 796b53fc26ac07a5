import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { copyJobs, copyTasks, jobOf, paste, readClip } from '@/document';
import { copyText, isOverPage, takesText, toast } from '@/ui';
import { useEditor } from '../context';
import { looksLikeRows } from '../spreadsheet/cells';
import { useSpreadsheet } from '../spreadsheet/useSpreadsheet';
import { useLostNeeds } from '../useLostNeeds';
import { useCanvasContext } from './canvasStore';
import { currentJob } from './editActions';

/** Copies, cuts and pastes the selection as text, which other schedules and tabs can paste too. */
export function useClipboard() {
  const { store, former } = useEditor();
  const { edit, canvas, sceneStore } = useCanvasContext();
  const tellLost = useLostNeeds();
  const { t } = useTranslation('canvas');
  const textOf = (keys?: readonly string[]) => {
    const {
      doc,
      selection: { tasks, job },
    } = store.getState();
    return keys === undefined && job !== undefined ? copyJobs(doc, [job]) : copyTasks(doc, keys ?? tasks);
  };
  const announceCopied = (keys?: readonly string[]) => {
    const {
      doc,
      selection: { tasks, job },
    } = store.getState();
    const copiedJob = keys === undefined && job !== undefined ? jobOf(doc, job) : undefined;
    toast(
      copiedJob
        ? t('clip.copiedJob', { job: copiedJob.key, count: copiedJob.tasks?.length ?? 0 })
        : t('clip.copied', { count: (keys ?? tasks).length }),
      { action: openOther() },
    );
  };
  /** Copies often go into another schedule, most likely the one that was open before. */
  const openOther = () => {
    const other = former?.();
    return other && { label: t('clip.open', { name: other.name }), run: other.open };
  };
  const announceDenied = () => {
    toast(t('clip.denied'));
  };
  const write = (keys: readonly string[], then: () => void) => {
    const text = textOf(keys);
    if (text === undefined) return;
    void copyText(text).then((done) => {
      if (done) then();
      else announceDenied();
    });
  };
  const insert = (text: string, job?: string) => {
    const clip = readClip(text);
    const { doc, apply } = store.getState();
    const into = job ?? currentJob(store, sceneStore.getState().active);
    const { openSpreadsheet } = canvas.getState();
    if (clip) {
      apply(paste(doc, clip, into));
      tellLost(doc, clip, into);
    } else if (openSpreadsheet && looksLikeRows(text)) openSpreadsheet({ text, into });
    else toast(t('clip.nothing'));
  };
  return {
    /** The selection, or some tasks, as text; undefined if there is nothing to copy. */
    textOf,
    /** Pastes text into a job, or into the current job. */
    insert,
    announceCopied,
    copy: (keys: readonly string[]) => {
      write(keys, () => {
        announceCopied(keys);
      });
    },
    cut: (keys: readonly string[]) => {
      write(keys, () => {
        edit.removeTasks(keys);
      });
    },
    paste: (job?: string) => {
      // A page without TLS has no clipboard to read; the keys work there too.
      const clipboard = navigator.clipboard as Clipboard | undefined;
      if (clipboard)
        void clipboard.readText().then((text) => {
          insert(text, job);
        }, announceDenied);
      else announceDenied();
    },
  };
}

/**
 * Handles Ctrl+C, X and V on the whole page, except in a text field, dialog or menu. It pastes into the lane under the
 * pointer, otherwise into the current job. It draws only the dialog for rows of a
 * spreadsheet.
 */
export function Clipboard() {
  const { edit, canvas, pointer } = useCanvasContext();
  const clipboard = useClipboard();
  const { open, node } = useSpreadsheet();
  useEffect(() => {
    canvas.setState({ openSpreadsheet: open });
    return () => {
      canvas.setState({ openSpreadsheet: undefined });
    };
  }, [canvas, open]);
  const latest = useRef(clipboard);
  useEffect(() => {
    latest.current = clipboard;
  });
  useEffect(() => {
    const appliesToCanvas = () => !takesText(document.activeElement) && !isOverPage(document.activeElement);
    const onCopy = (event: ClipboardEvent) => {
      const text = appliesToCanvas() && !isTextSelected() ? latest.current.textOf() : undefined;
      if (text === undefined) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      if (event.type === 'cut') edit.remove();
      else latest.current.announceCopied();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!appliesToCanvas()) return;
      event.preventDefault();
      const { at } = pointer.getState();
      const into = at && canvas.getState().quickAddAt?.(at)?.into;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      latest.current.insert(text, into && 'job' in into ? into.job : undefined);
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('cut', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('cut', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [edit, canvas, pointer]);
  return node;
}

/** Whether text is selected on the page: then the browser copies it. `getSelection` does not include text in fields. */
function isTextSelected(): boolean {
  const field = document.activeElement;
  return (
    String(document.getSelection()) !== '' ||
    (field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd)
  );
}
