import type { TraceEvent } from '@replsim/protocol';
import { History } from '../history/history.ts';
import type { StoryLine } from '../run/player.ts';
import { StoryTeller } from '../run/storyTeller.ts';

/** A run as whoever looks at it may know it by now. */
export interface Seen {
  readonly history: History;
  readonly lines: readonly StoryLine[];
}

/**
 * A run as if it had ended after so many events. What is veiled is not there at all: whatever part of the page shows a history and a story
 * can give nothing away, and a line that sums up several events sums up those that are seen.
 */
export function seenOf(events: readonly TraceEvent[], count: number): Seen {
  const seen = events.slice(0, count);
  const history = new History();
  history.add(seen);
  const told: TraceEvent[] = [];
  const teller = new StoryTeller(told);
  const lines: StoryLine[] = [];
  for (const event of seen) {
    told.push(event);
    lines.push(...teller.observe(event));
  }
  return { history, lines: [...lines, ...teller.end()] };
}

/** The same run with the story of its start, which comes before so many events, in one line. */
export function withoutStart({ history, lines }: Seen, startEvents: number): Seen {
  const first = lines.findIndex(({ events }) => events >= startEvents);
  const [line] = lines;
  if (line === undefined || first <= 1) return { history, lines };
  const folded = { ...line, text: `▸ ${first} lines: how the set starts (leave the lesson to see them)` };
  return { history, lines: [folded, ...lines.slice(first)] };
}
