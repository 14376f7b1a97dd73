import { formatInstant } from '@replsim/kernel';
import type { MemberConfig, ReplSetConfig } from '@replsim/protocol';
import type { Links } from './links.ts';
import { type MemberStory, nameOf } from './memberStory.ts';
import type { Walls } from './walls.ts';

/** What is known when a question is asked. */
export interface Situation {
  readonly walls: Walls;
  readonly links: Links;
  /** When it is asked. Unit: µs. */
  readonly nowMicros: number;
  /** Time zero. Unit: ms since 1970. */
  readonly epochMs: number;
  /** The same, by which opTimes are shown. Unit: seconds since 1970. */
  readonly epochSecs: number;
  readonly members: ReadonlyMap<string, MemberStory>;
}

/** Why a process answers nobody; undefined if it answers. */
export function whyNotRunning({ name, stopped, pausedSince, misdirected }: MemberStory): string | undefined {
  if (stopped?.is === 'not started') return `${name} was never started`;
  if (stopped) {
    const how = stopped.is === 'fatal' ? 'it gave up' : stopped.is === 'shutdown' ? 'shut down' : stopped.is;
    const detail = stopped.detail === undefined ? '' : `: ${stopped.detail}`;
    return `${name} is down: ${how} at ${at(stopped.sinceMicros)}${detail}${misdirectedText(misdirected)}`;
  }
  return pausedSince === undefined ? undefined : `${name} has been paused since ${at(pausedSince)}`;
}

/** What only somebody outside can know: the disk had reported that write as done. */
function misdirectedText(misdirected: MemberStory['misdirected']): string {
  if (misdirected === undefined || misdirected.is === 'nothing') return '';
  const over = misdirected.is === 'checkpoint' ? 'over the data of its checkpoint' : 'over an earlier record';
  return `; its disk wrote a record of the journal to a wrong place at ${at(misdirected.sinceMicros)}, ${over}`;
}

/** Why a member hears nothing of another; undefined if nothing that the trace knows of stands between them. */
export function whySilent(name: string, other: string, situation: Situation): string | undefined {
  const { walls, members, links } = situation;
  const story = members.get(other);
  if (story?.stopped) return `down since ${at(story.stopped.sinceMicros)}`;
  if (story?.pausedSince !== undefined) return `paused since ${at(story.pausedSince)}`;
  const apart = walls.apartSince(name, other);
  if (apart !== undefined) return `cut off since ${at(apart)}`;
  const lost = links.whyLost(name, other);
  return lost && `all messages lost since ${at(lost.sinceMicros)}`;
}

/** Those of whom it hears nothing, and why. */
export function whoIsUnheard(name: string, { members }: ReplSetConfig, situation: Situation): string[] {
  const others = members.map(({ host }) => nameOf(host)).filter((other) => other !== name);
  const silent = others.map((other) => [other, whySilent(name, other, situation)] as const);
  return grouped(silent.filter((each): each is readonly [string, string] => each[1] !== undefined));
}

/** Members of whom the same is to be said, together: `a1, a2: cut off since 41.474s`. */
export function grouped(reasons: readonly (readonly [member: string, reason: string])[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const [member, reason] of reasons) byReason.set(reason, [...(byReason.get(reason) ?? []), member]);
  return [...byReason].map(([reason, members]) => `${members.join(', ')}: ${reason}`);
}

/** Its own entry in a config. */
export function memberOf({ members }: ReplSetConfig, name: string): MemberConfig | undefined {
  return members.find(({ host }) => nameOf(host) === name);
}

/** An instant in a sentence. */
export function at(micros: number): string {
  return formatInstant(micros);
}

/** By how much a member's clock is ahead of a right one, as far as was seen last. Unit: ms. */
export function aheadOf({ clock }: MemberStory, epochMs: number): number {
  if (!clock) return 0;
  const ahead = clock.wallMs - epochMs - Math.floor(clock.atMicros / 1000);
  // Whole milliseconds are rounded down on both sides.
  return Math.abs(ahead) <= 1 ? 0 : ahead;
}
