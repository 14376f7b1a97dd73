import type { MemberStory } from './memberStory.ts';
import { at } from './notPrimary.ts';
import type { Undue } from './undue.ts';

/** What a member's TTL monitor is doing, in one sentence. */
export function whyNotExpired({ name, ttl, accepts, lastPass, heldSince }: MemberStory): string {
  const held = heldSince.get('ttl');
  if (held !== undefined) return `the TTL monitor of ${name} is held since ${at(held)}`;
  if (!ttl || ttl.phase === 'off') return `the TTL monitor of ${name} is off`;
  if (!accepts) return `${name} accepts no writes, so that its TTL monitor deletes nothing`;
  if (ttl.phase === 'hanging') return `the TTL monitor of ${name} hangs in a fail point since ${at(ttl.atMicros)}`;
  if (ttl.phase === 'inPass') return `the TTL monitor of ${name} is in a pass since ${at(ttl.atMicros)}`;
  const sleeps = `the TTL monitor of ${name} sleeps${ttl.wakeMicros === undefined ? '' : ` until ${at(ttl.wakeMicros)}`}`;
  return lastPass
    ? `${sleeps}; its last pass, at ${at(lastPass.atMicros)}, deleted ${lastPass.deleted}`
    : `${sleeps}, and has made no pass yet`;
}

/**
 * What the documents themselves have to do with it.
 * @param epochMs time zero, ms since 1970 @param orMore whether there may be older documents
 */
export function whyNotDue({ path, dateless, notYet, nextMs }: Undue, epochMs: number, orMore: boolean): string[] {
  const least = orMore ? 'at least ' : '';
  const sentences: string[] = [];
  if (dateless > 0) {
    const [verb, they] =
      dateless === 1 ? ['document has', 'it never expires'] : ['documents have', 'they never expire'];
    sentences.push(`${least}${dateless} ${verb} no date in \`${path}\`, so that ${they}`);
  }
  if (notYet > 0) {
    const what = notYet === 1 ? 'document is' : 'documents are';
    sentences.push(
      `${least}${notYet} ${what} not due until ${at((nextMs - epochMs) * 1000)}, by a clock that goes right`,
    );
  }
  return sentences;
}
