import { useSyncExternalStore } from 'react';

/** Narrower than that there is room for one panel at a time. */
const NARROW = '(max-width: 800px)';

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
}

function subscribe(changed: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}
