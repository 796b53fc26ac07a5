import { useEffect } from 'react';

/** Names the page in the browser's tab and history, as long as the component lives. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · HiveGo` : 'HiveGo';
    return () => {
      document.title = 'HiveGo';
    };
  }, [title]);
}
