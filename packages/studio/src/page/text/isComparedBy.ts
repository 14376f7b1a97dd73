import type { Second } from '../compare/useSecond.ts';

/** Which of two texts a click changes. */
export function isComparedBy({ shared }: Second): string {
  return shared.by
    ? 'Every click adds a line to both texts, because the second is made from the first.'
    : 'Every click adds a line to the first text only, because the second is a text of its own.';
}
