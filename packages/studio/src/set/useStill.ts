import { useSyncExternalStore } from 'react';

const QUERY = '(prefers-reduced-motion: reduce)';

/** Whether somebody has asked their system for less motion. */
export function useStill(): boolean {
  return useSyncExternalStore(heard, () => matchMedia(QUERY).matches);
}

function heard(changed: () => void): () => void {
  const asked = matchMedia(QUERY);
  asked.addEventListener('change', changed);
  return () => asked.removeEventListener('change', changed);
}
