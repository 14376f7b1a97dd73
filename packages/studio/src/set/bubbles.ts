import type { Happening } from '../core/history/happenings.ts';
import type { History } from '../core/history/history.ts';
import type { Eye } from './eye.ts';
import { short } from './portrait.ts';

/** What a member says, or what befalls it, for a moment. */
export interface Bubble {
  readonly text: string;
  readonly mood: 'plain' | 'good' | 'bad' | 'vote';
}

/** A flash of light, or the blow that ends a process: how far it has spread, from 0 to 1. */
export interface Burst {
  readonly kind: 'flash' | 'burst';
  readonly part: number;
}

/** Documents that a TTL delete takes from a member: how far they have faded. */
export interface Fading {
  readonly documents: number;
  readonly part: number;
}

/** What of a member lasts for the eye alone. */
export interface Effects {
  readonly bubble: Bubble | undefined;
  readonly burst: Burst | undefined;
  readonly fading: Fading | undefined;
}

/** How long each is seen. Unit: ms of film. */
const SAID = 1900;
const SPREAD = 900;
const FADE = 1400;

/** By member. */
export function effectsAt(history: History, eye: Eye): ReadonlyMap<string, Effects> {
  const { happenings, documents } = history;
  const found = new Map<string, Effects>();
  const put = (member: string, effects: Partial<Effects>) =>
    found.set(member, { ...NONE, ...found.get(member), ...effects });
  for (const event of happenings.between(eye.microsBefore(SAID) - 1, eye.atMicros)) {
    const { member, atMicros } = event;
    const since = eye.millisInto(atMicros, SAID);
    if (since >= SAID || atMicros === 0) continue;
    const said = saidOf(event);
    // It is there or not: half faded, nobody could read the news.
    if (said) put(member, { bubble: said });
    const kind = burstOf(event);
    const spread = eye.part(atMicros, SPREAD);
    if (kind && spread < 1) put(member, { burst: { kind, part: spread } });
  }
  for (const { member, atMicros, change, by } of documents.between(eye.microsBefore(FADE) - 1, eye.atMicros)) {
    if (by === 'others') continue;
    const into = eye.millisInto(atMicros, FADE);
    if (into >= FADE) continue;
    put(member, { fading: { documents: -change, part: eye.isStill ? 0.5 : into / FADE } });
    const text = by === 'ttl' ? `TTL deletes ${-change}` : `${-change} deleted, by the oplog`;
    put(member, { bubble: { text, mood: by === 'ttl' ? 'vote' : 'plain' } });
  }
  return found;
}

export const NONE: Effects = { bubble: undefined, burst: undefined, fading: undefined };

function burstOf(event: Happening): Burst['kind'] | undefined {
  if (event.type === 'processStopped') return 'burst';
  return event.type === 'electionWon' || (event.type === 'acceptsWrites' && event.value) ? 'flash' : undefined;
}

const said = (text: string, mood: Bubble['mood'] = 'plain'): Bubble => ({ text, mood });

/** What a candidate asks flies to the others, and is not said here as well. */
function saidOf(event: Happening): Bubble | undefined {
  switch (event.type) {
    case 'processStopped':
      return said(STOPPED[event.how], 'bad');
    case 'processStarted':
      return said('starts');
    case 'memberSeen':
      if (event.to === 'DOWN') return said(`${short(event.other)} does not answer`, 'bad');
      return event.to === 'PRIMARY' ? said(`${short(event.other)} is primary`, 'good') : undefined;
    case 'voteAnswered':
      return votedOf(event);
    case 'electionWon':
      return said(`elected, ${event.votes} votes`, 'good');
    case 'electionLost':
      return said(event.dryRun ? 'would not win' : 'not elected', 'bad');
    case 'acceptsWrites':
      return event.value ? said('accepts writes', 'good') : said('no more writes', 'bad');
    case 'steppedDown':
      return said('steps down', 'bad');
    case 'rollbackStarted':
      return said(`my history is not ${short(event.source)}’s`, 'bad');
    case 'rolledBack':
      return said(`undoes ${event.removedEntries.length}`, 'bad');
    case 'initialSync':
      return event.phase === 'started' ? said('copies everything') : undefined;
    default:
      return undefined;
  }
}

const STOPPED = { killed: 'killed', shutdown: 'shuts down', fatal: 'dies of an error' } as const;

function votedOf({ granted, candidate, dryRun }: Extract<Happening, { type: 'voteAnswered' }>): Bubble {
  const name = short(candidate);
  if (dryRun) return granted ? said(`I would vote for ${name}`, 'good') : said(`I would not vote for ${name}`, 'bad');
  return granted ? said(`votes for ${name}`, 'good') : said(`no vote for ${name}`, 'bad');
}
