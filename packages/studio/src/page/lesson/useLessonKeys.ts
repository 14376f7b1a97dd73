import { useLayoutEffect, useRef } from 'react';

interface Keys {
  readonly go: (direction: 1 | -1) => void;
  readonly goChapter: (direction: 1 | -1) => void;
  /** @param number of the choice, from 1; 0 shows the answer */
  readonly choose: (number: number) => void;
}

/** The keys of a lesson, where nobody types: n and p to what comes next and before, N and P by chapters, digits to answer. */
export function useLessonKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // As soon as the page shows that there is something to press for.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (
        target?.closest(
          'input, textarea, [role="dialog"], [role="combobox"], [role="listbox"], [role="menu"], [contenteditable]',
        )
      )
        return;
      if (did(event.key, latest.current)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** @returns whether the key means something */
function did(key: string, { go, goChapter, choose }: Keys): boolean {
  if (key === 'n' || key === 'p') go(key === 'n' ? 1 : -1);
  else if (key === 'N' || key === 'P') goChapter(key === 'N' ? 1 : -1);
  else if (/^\d$/.test(key)) choose(Number(key));
  else return false;
  return true;
}
