import type { MemberStory } from './memberStory.ts';
import { at, type Situation, whoIsUnheard, whyNotRunning } from './situation.ts';

/** How many entries a member has not applied, as far as they are remembered. */
interface Lag {
  readonly missing: number;
  readonly orMore: boolean;
}

/** Why a member's data are behind, in one sentence. */
export function whyBehind(story: MemberStory, { missing, orMore }: Lag, situation: Situation): string {
  return `${story.name} lags by ${orMore ? 'more than ' : ''}${missing} ${missing === 1 ? 'entry' : 'entries'}: ${holdUp(story, situation)}`;
}

/** What keeps a member from having what its set has. */
export function holdUp(story: MemberStory, situation: Situation): string {
  const { heldSince, initialSync, syncSource, fetchFailed, name, state } = story;
  const down = whyNotRunning(story);
  if (down) return down;
  if (initialSync)
    return `its initial sync ${phaseText(initialSync.is)} at ${at(initialSync.sinceMicros)} and is not done`;
  if (state.is === 'PRIMARY') return `it is PRIMARY since ${at(state.sinceMicros)}`;
  for (const part of ['fetch', 'apply']) {
    const since = heldSince.get(part);
    if (since !== undefined) return `its part ${part} is held since ${at(since)}`;
  }
  const journal = heldSince.get('journal');
  if (journal !== undefined) return `its part journal is held since ${at(journal)}`;
  const source = syncSource.is;
  if (source === undefined) {
    const unheard = story.config ? whoIsUnheard(name, story.config, situation) : [];
    // A primary has none, and needs none.
    const since = Math.max(syncSource.sinceMicros, state.sinceMicros);
    return [`it has no sync source since ${at(since)}`, ...unheard].join('; ');
  }
  const apart = situation.walls.apartSince(source, name);
  if (apart !== undefined) return `its sync source ${source} is cut off from it since ${at(apart)}`;
  if (fetchFailed?.source === source)
    return `it could not fetch from ${source} at ${at(fetchFailed.atMicros)}: ${fetchFailed.detail}`;
  return `it fetches from ${source}, and what is missing is on its way`;
}

function phaseText(phase: string): string {
  return phase === 'started' ? 'began' : phase === 'cloned' ? 'had copied all data' : 'failed';
}
