import { useEffect } from 'react';

interface Keys {
  readonly play: () => void;
  readonly step: (direction: 1 | -1) => void;
  readonly undo: () => void;
}

/** The page's keys, where nobody types: space plays, brackets and arrows go from event to event. */
export function useKeys({ play, step, undo }: Keys): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (target?.closest('input, select, button, [contenteditable], [role="button"]')) return;
      const action = {
        ' ': play,
        ']': () => step(1),
        '[': () => step(-1),
        ArrowRight: () => step(1),
        ArrowLeft: () => step(-1),
      }[event.key];
      if (event.key === 'z' && (event.ctrlKey || event.metaKey)) undo();
      else if (action && !event.ctrlKey && !event.metaKey) action();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [play, step, undo]);
}
