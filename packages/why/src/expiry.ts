import { durationText } from '@replsim/kernel';
import type { MemberStory } from './memberStory.ts';
import { leader, whyNotWritable } from './office.ts';
import { aheadOf, at, type Situation } from './situation.ts';
import type { GoneIndex } from './ttlIndexes.ts';
import type { Undue } from './undue.ts';

/** What a member's TTL monitor is doing, in one sentence. */
export function whyNotExpired(story: MemberStory, situation: Situation): string {
  const { name, ttl, accepts, standalone, onSetData, passes, heldSince, lockedSince, pausedParts } = story;
  const held = heldSince.get('ttl');
  if (held !== undefined) return `the TTL monitor of ${name} has been held since ${at(held)}`;
  if (standalone && onSetData)
    return `the TTL monitor of ${name} is off: it runs as a standalone on the data of a replica set`;
  if (!ttl || ttl.phase === 'off') return `the TTL monitor of ${name} is off`;
  if (!accepts && !standalone) {
    const why = whyNotWritable(story, situation);
    return `${name} accepts no writes, so its TTL monitor deletes nothing${why === undefined ? '' : `: ${why}`}`;
  }
  if (ttl.phase === 'hanging')
    return `the TTL monitor of ${name} has been hanging in a fail point since ${at(ttl.atMicros)}`;
  const paused = pausedParts.get('ttl');
  if (paused)
    return `the TTL monitor of ${name} has been stopped in its pass since ${at(paused.sinceMicros)} by the fail point ${paused.is}`;
  if (ttl.phase === 'inPass') return `the TTL monitor of ${name} has been in a pass since ${at(ttl.atMicros)}`;
  if (ttl.disabled) return `the TTL monitor of ${name} is disabled: it wakes on time, but makes no pass`;
  if (lockedSince !== undefined)
    return `${name} has been locked by fsync since ${at(lockedSince)}, and its TTL monitor makes no pass`;
  const sleeps = `the TTL monitor of ${name} sleeps${ttl.wakeMicros === undefined ? '' : ` until ${at(ttl.wakeMicros)}`}`;
  const lastPass = passes.at(-1);
  if (!lastPass) return `${sleeps}, and has made no pass yet`;
  const how = lastPass.error === undefined ? `deleted ${lastPass.deleted}` : `was interrupted: ${lastPass.error}`;
  return `${sleeps}; its last pass, at ${at(lastPass.endedMicros)}, ${how}`;
}

/**
 * What the documents themselves have to do with it.
 * @param clock whose clock judges, if anybody's does @param orMore whether there may be older documents
 * @param alone whether there is no other TTL index
 */
export function whyNotDue(
  { index: { name, path, unfit }, unmatched, doubtful, dateless, notYet, nextMs, datelessMicros }: Undue,
  situation: Situation,
  clock: MemberStory | undefined,
  orMore: boolean,
  alone: boolean,
): string[] {
  if (unfit !== undefined) return [leftAlone(name, unfit)];
  const least = orMore ? 'at least ' : '';
  const sentences: string[] = [];
  if (dateless > 0) {
    const [verb, they] =
      dateless === 1 ? ['document has', 'it never expires'] : ['documents have', 'they never expire'];
    const consequence = alone ? they : `the index ${name} never deletes ${dateless === 1 ? 'it' : 'them'}`;
    const passes = passesSince(datelessMicros, situation);
    const looked = passes === 0 ? '' : `; ${passes} ${passes === 1 ? 'pass has' : 'passes have'} looked`;
    sentences.push(`${least}${dateless} ${verb} no date in \`${path}\`, so ${consequence}${looked}`);
  }
  if (notYet > 0) {
    const what = notYet === 1 ? 'document is' : 'documents are';
    sentences.push(`${least}${notYet} ${what} not due until ${dueText(nextMs, situation, clock)}`);
  }
  if (unmatched > 0) {
    const [what, them] = unmatched === 1 ? ['document does', 'it'] : ['documents do', 'them'];
    sentences.push(
      `${least}${unmatched} ${what} not match the filter of the index ${name}, so that index never deletes ${them}`,
    );
  }
  if (doubtful) sentences.push(`the index ${name} has only documents that match its filter`);
  return sentences;
}

/** @param unfit why, as in `is hashed` */
export function leftAlone(name: string, unfit: string): string {
  return `the index ${name} ${unfit}, and TTL monitors leave it alone`;
}

/** Why an index that is not there takes nothing. */
export function whyGone({ name, happened, atMicros }: GoneIndex): string {
  const when = at(atMicros);
  switch (happened) {
    case 'dropped':
      return `the TTL index ${name} was dropped at ${when}, and has deleted nothing since`;
    case 'droppedWithCollection':
      return `the TTL index ${name} was dropped with its collection at ${when}, and has deleted nothing since`;
    case 'switchedOff':
      return `the collection's own expireAfterSeconds was switched off at ${when}`;
    case 'isBuilt':
      return `the TTL index ${name} has been building since ${when}, and deletes nothing until it is ready`;
    case 'buildAborted':
      return `the build of the TTL index ${name} was aborted at ${when}, and nothing takes its place`;
  }
}

/** Who would delete, where nobody accepts writes. */
export function nobodyDeletes(situation: Situation): string {
  const leading = leader(situation);
  return leading
    ? `no TTL monitor deletes anything, as ${leading.text}`
    : 'there is no primary, so no TTL monitor deletes anything';
}

/** How many passes that could delete have ended, and were not cut short, since then. */
function passesSince(micros: number, { members }: Situation): number {
  return [...members.values()]
    .flatMap(({ passes }) => passes)
    .filter(({ beganMicros, error, acceptsWrites }) => acceptsWrites && error === undefined && beganMicros >= micros)
    .length;
}

/** An instant at which a clock shows something. */
export function dueText(dueMs: number, { epochMs }: Situation, clock: MemberStory | undefined): string {
  const aheadMs = clock ? aheadOf(clock, epochMs) : 0;
  const instant = dateText(dueMs - aheadMs, epochMs);
  if (!clock || aheadMs === 0) return `${instant}, by a correct clock`;
  const off = durationText(Math.abs(aheadMs) * 1000);
  return `${instant}, by ${clock.name}'s clock, which is ${off} ${aheadMs > 0 ? 'fast' : 'slow'}`;
}

/** A date as an instant of the run. @param ms since 1970 */
export function dateText(ms: number, epochMs: number): string {
  if (ms >= epochMs) return at((ms - epochMs) * 1000);
  return `${durationText((epochMs - ms) * 1000)} before the run`;
}
