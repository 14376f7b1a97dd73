import { durationText } from '@replsim/kernel';
import type { Deadline, MemberStory } from './memberStory.ts';
import { at, type Situation } from './situation.ts';

/** A timer that is set, as far as the trace tells of timers. One that has gone off says nothing of what comes. */
export function pending({ deadlines }: MemberStory, of: string, { nowMicros }: Situation): Deadline | undefined {
  const found = deadlines.get(of);
  return found && found.dueMicros > nowMicros ? found : undefined;
}

/** When somebody acts at last; an election timeout is longer by what is drawn when it is over. */
export function deadline(
  story: MemberStory,
  of: 'electionTimeout' | 'takeover',
  words: string,
  now: Situation,
): string[] {
  const found = pending(story, of, now);
  if (!found) return [];
  const { dueMicros, drawnMicros } = found;
  const when = `${words} at ${at(dueMicros)}`;
  if (drawnMicros === 0) return [when];
  if (drawnMicros !== undefined)
    return [`${when}, which includes a random delay of ${durationText(Math.round(drawnMicros / 1000) * 1000)}`];
  return [`${words} not before ${at(dueMicros)}, plus a random delay`];
}
