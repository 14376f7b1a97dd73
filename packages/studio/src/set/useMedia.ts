import { useSyncExternalStore } from 'react';

/** What is asked of the browser's window or of its user's wishes, whether it holds, and who wants to hear when that changes. */
interface Asked {
  holds: boolean;
  readonly subscribe: (changed: () => void) => () => void;
}

const known = new Map<string, Asked>();

/** Whether a media query holds. It is drawn with each frame, and a browser that is asked anew looks at its layout first. */
export function useMedia(query: string): boolean {
  const asked = known.get(query) ?? ask(query);
  return useSyncExternalStore(asked.subscribe, () => asked.holds);
}

function ask(query: string): Asked {
  const list = matchMedia(query);
  const heard = new Set<() => void>();
  const asked: Asked = {
    holds: list.matches,
    subscribe: (changed) => {
      heard.add(changed);
      return () => heard.delete(changed);
    },
  };
  list.addEventListener('change', () => {
    asked.holds = list.matches;
    for (const changed of heard) changed();
  });
  known.set(query, asked);
  return asked;
}
