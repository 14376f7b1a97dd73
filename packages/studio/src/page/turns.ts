import type { PageState } from './state.ts';
import type { Page } from './usePageModel.ts';

/** So many panels draw a moving instant one after the other, a frame each: one frame has no time for all. */
export const TURNS = 3;

/** What a page says of the instant alone. */
const OF_TIME: ReadonlySet<keyof PageState> = new Set(['chosenMicros', 'isPlaced', 'moves']);

/** What panels read of a page. */
export type Read = Pick<Page, 'state' | 'run' | 'compare' | 'guide' | 'task' | 'live' | 'wayOut'>;

/** What does not change with the instant, unless a lesson leads: the same object as long as two pages differ in time alone. */
export interface Still extends Pick<Page, 'live' | 'wayOut' | 'dispatch' | 'run' | 'canCompare'> {
  readonly state: Omit<PageState, 'chosenMicros' | 'isPlaced' | 'moves'>;
  // Where the reader stands would be out of date.
  readonly guide: Pick<Page['guide'], 'reading' | 'open' | 'read'>;
  readonly compare: Pick<Page['compare'], 'isOn'>;
}

/** Whether one page is the other at another instant. Whoever is led sees what is said at once: then it never is. */
export function differInTimeAlone(one: Read, other: Read): boolean {
  return other.guide.reading === 'free' && chosenIn(one).every((each, i) => each === chosenIn(other)[i]);
}

function chosenIn({ state, run, compare, guide, task, live, wayOut }: Read): readonly unknown[] {
  const fields = Object.keys(state) as (keyof PageState)[];
  return [
    ...fields.filter((field) => !OF_TIME.has(field)).map((field) => state[field]),
    ...[run, task, live, wayOut, guide.reading, guide.seen, compare.isOn, compare.traced, compare.second],
  ];
}
