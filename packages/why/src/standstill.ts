import type { MemberStory } from './memberStory.ts';
import { at, type Situation, whoIsUnheard, whySilent } from './situation.ts';

/**
 * Which part of a member's replication does nothing, and why; undefined if none does.
 * @param parts those that matter
 */
export function standingStill(
  { heldSince, pausedParts, lockedSince }: MemberStory,
  parts: readonly string[] = ['fetch', 'apply', 'journal'],
): string | undefined {
  for (const part of parts) {
    const since = heldSince.get(part);
    if (since !== undefined) return `its part ${part} has been held since ${at(since)}`;
    const paused = pausedParts.get(part);
    if (paused)
      return `its part ${part} has been stopped since ${at(paused.sinceMicros)} by the fail point ${paused.is}`;
  }
  return lockedSince === undefined ? undefined : `it has been locked by fsync since ${at(lockedSince)}`;
}

/** Why a member gets no entries; undefined if it does. */
export function fetching(
  { name, config, state, syncSource, fetchFailed }: MemberStory,
  situation: Situation,
): string | undefined {
  const source = syncSource.is;
  if (source === undefined) {
    const unheard = config ? whoIsUnheard(name, config, situation) : [];
    // A primary has none, and needs none.
    const since = Math.max(syncSource.sinceMicros, state.sinceMicros);
    return [`it has had no sync source since ${at(since)}`, ...unheard].join('; ');
  }
  const apart = situation.walls.apartSince(source, name);
  if (apart !== undefined) return `its sync source ${source} has been cut off from it since ${at(apart)}`;
  const silent = whySilent(name, source, situation);
  if (silent !== undefined) return `its sync source ${source} is ${silent}`;
  if (fetchFailed?.source === source)
    return `it could not fetch from ${source} at ${at(fetchFailed.atMicros)}: ${fetchFailed.detail}`;
  return undefined;
}

/** Why a vote of this term does not reach a member's disk, before which nobody may hear of it. */
export function unwritten({ voted, term: own, heldSince, lockedSince }: MemberStory, term: number): string | undefined {
  if (own < term || (voted && voted.term >= term)) return undefined;
  if (lockedSince !== undefined) return `it has been locked by fsync since ${at(lockedSince)}`;
  const held = heldSince.get('journal');
  return held === undefined ? undefined : `its part journal has been held since ${at(held)}`;
}
