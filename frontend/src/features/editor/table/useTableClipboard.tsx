import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { jobOfTask, paste, readClip } from '@/document';
import { copyText, isOverPage, takesText, toast } from '@/ui';
import { useEditor } from '../context';
import { looksLikeRows, tsvOf } from '../spreadsheet/cells';
import { cellOf, columnsFor } from '../spreadsheet/columns';
import { useSpreadsheet } from '../spreadsheet/useSpreadsheet';
import { useLostNeeds } from '../useLostNeeds';
import type { Row } from './rows';

/** The commands of the clipboard. Render `node` once in the view. */
interface TableClipboard {
  /** Copies the marked rows, or all that are shown. */
  copy: () => void;
  /** Opens the dialog for rows of a spreadsheet. */
  paste: () => void;
  node: ReactNode;
}

/**
 * Copies rows as text with tabs, for a spreadsheet, and pastes rows of a spreadsheet or tasks of a canvas. Ctrl+C and
 * Ctrl+V work on the whole page, except in a text field, dialog or menu.
 */
export function useTableClipboard(rows: readonly Row[], chosen: readonly string[]): TableClipboard {
  const { t } = useTranslation('views');
  const { store } = useEditor();
  const spreadsheet = useSpreadsheet();
  const tellLost = useLostNeeds();
  const target = () => jobOfTask(store.getState().doc, chosen.at(-1) ?? '')?.key;
  const marked = rows.filter((row) => chosen.includes(row.task.key));
  const announce = (count: number) => {
    toast(t('table.copied', { count }));
  };
  const actions = {
    /** The text of the marked rows; undefined without any. */
    copied: () => {
      if (marked.length === 0) return undefined;
      announce(marked.length);
      return textOfRows(marked);
    },
    /** Takes a text of the clipboard; returns whether it holds tasks or rows. */
    pasted: (text: string): boolean => {
      const clip = readClip(text);
      const into = target();
      if (clip) {
        const { doc, apply } = store.getState();
        apply(paste(doc, clip, into));
        tellLost(doc, clip, into);
      } else if (looksLikeRows(text)) spreadsheet.open({ text, into });
      return clip !== undefined || looksLikeRows(text);
    },
  };
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const appliesHere = () => !takesText(document.activeElement) && !isOverPage(document.activeElement);
    const onCopy = (event: ClipboardEvent) => {
      if (!appliesHere() || String(document.getSelection()) !== '') return;
      const text = latest.current.copied();
      if (text === undefined) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (appliesHere() && latest.current.pasted(event.clipboardData?.getData('text/plain') ?? ''))
        event.preventDefault();
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, []);
  return {
    copy: () => {
      const some = marked.length > 0 ? marked : rows;
      void copyText(textOfRows(some)).then((done) => {
        if (done) announce(some.length);
        else toast(t('table.denied'));
      });
    },
    paste: () => {
      spreadsheet.open({ into: target() });
    },
    node: spreadsheet.node,
  };
}

/** Rows as text with tabs, below a row that names the columns. */
function textOfRows(rows: readonly Row[]): string {
  const columns = columnsFor(rows.map(({ task }) => task));
  return tsvOf([columns, ...rows.map(({ task, job }) => columns.map((column) => cellOf(task, job, column)))]);
}
