import { secondOf } from './differing.ts';
import type { Shared } from './fragment.ts';

/** The same look at another text; a second one that was made of the text is made of the new one. */
export function ofText(shared: Shared, text: string): Shared {
  const { second, ...looks } = shared;
  const made = second?.by && secondOf(text, shared.seed, second.by);
  if (!second) return { ...looks, text };
  return { ...looks, text, second: made && 'text' in made ? { ...second, text: made.text } : second };
}
