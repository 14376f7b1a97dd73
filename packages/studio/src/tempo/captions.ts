import { countUpTo } from '../core/history/search.ts';
import type { Caption } from './film.ts';
import { filmOf, type Traced } from './tempo.ts';

/** What happened last at an instant, in a sentence; undefined before anything did. */
export function captionAt(history: Traced, atMicros: number): Caption | undefined {
  const { captions } = filmOf(history);
  return captions[countUpTo(captions, (caption) => caption.atMicros, atMicros) - 1];
}
