import { useEffect } from 'react';

interface Keys {
  readonly play: () => void;
  readonly step: (direction: 1 | -1) => void;
  readonly undo: () => void;
}

/** The page's keys, where nobody types: space plays, brackets and arrows go from event to event. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (target?.closest('input, select, button, [contenteditable], [role="button"]')) return;
      if (did(event, keys)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [keys]);
}

/** @returns whether the key means something */
function did({ key, ctrlKey, metaKey }: KeyboardEvent, { play, step, undo }: Keys): boolean {
  if (ctrlKey || metaKey) {
    if (key === 'z') undo();
    return key === 'z';
  }
  switch (key) {
    case ' ':
      play();
      return true;
    case ']':
    case 'ArrowRight':
      step(1);
      return true;
    case '[':
    case 'ArrowLeft':
      step(-1);
      return true;
    default:
      return false;
  }
}
