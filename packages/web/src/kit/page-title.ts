// The title of the browser's tab while a page is shown.
import { useEffect } from 'react';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Botel`;
  }, [title]);
}
