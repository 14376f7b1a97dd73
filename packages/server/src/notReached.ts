import { durationText } from '@replsim/kernel';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { barredOf, type ReplSet } from '@replsim/replset';
import { primaryOf } from './primary.ts';

const STATUS = encodeDocument({ replSetGetStatus: 1, $db: 'admin' });
const PARAMETER = encodeDocument({ getParameter: 1, ttlMonitorEnabled: 1, $db: 'admin' });

/** Thrown if no member accepts writes within the time allowed. The message says how each member sees the set. */
export class NoPrimaryError extends Error {
  /** For each member by name: its own state, and how it sees the others, as text. */
  readonly members: Readonly<Record<string, string>>;

  /** @param other a primary that was there, but was not meant */
  constructor(set: ReplSet, withinMicros: number, other?: string) {
    const members = Object.fromEntries(set.memberNames.map((name) => [name, saysOf(set, name)]));
    const what = other !== undefined && primaryOf(set) === other ? `primary other than ${other}` : 'primary';
    const lines = Object.entries(members).map(([name, says]) => `  ${name}: ${says}`);
    super([`no ${what} within ${durationText(withinMicros)} of virtual time`, ...lines].join('\n'));
    this.name = 'NoPrimaryError';
    this.members = members;
  }
}

/** Thrown if no TTL pass completes on a primary within the time allowed. The message says why. */
export class NoTtlPassError extends Error {
  constructor(set: ReplSet, withinMicros: number) {
    super(`no TTL pass ended within ${durationText(withinMicros)} of virtual time: ${whyNoPass(set)}`);
    this.name = 'NoTtlPassError';
  }
}

function whyNoPass(set: ReplSet): string {
  const primary = primaryOf(set);
  if (primary === undefined) return 'the set has no primary';
  const { ttlMonitorEnabled } = decodePromoted(set.ask(primary, PARAMETER));
  return ttlMonitorEnabled === false ? `ttlMonitorEnabled is off on ${primary}` : `${primary} was in none`;
}

/** How a member describes itself and the others. */
function saysOf(set: ReplSet, name: string): string {
  const { running, paused, mode } = set.status(name);
  if (!running) return 'is not running';
  if (paused) return 'is paused';
  if (mode === 'standalone') return 'runs as a standalone';
  const { ok, errmsg, members = [], term } = decodePromoted(set.ask(name, STATUS));
  if (ok !== 1) return String(errmsg);
  const own = members.find(({ self }: MemberReport) => self === true);
  const others = members.filter(({ self }: MemberReport) => self !== true);
  const barred = barredOf(set, name);
  const words = [
    `${own?.stateStr ?? 'in no config'} in term ${term}`,
    ...(barred ? [barred] : []),
    ...others.map(sees),
  ];
  return words.join(', ');
}

/** A member's entry in `replSetGetStatus`. */
interface MemberReport {
  readonly name: string;
  readonly stateStr: string;
  readonly health: number;
  readonly self?: boolean;
}

function sees({ name, stateStr, health }: MemberReport): string {
  return health === 1 ? `sees ${name} as ${stateStr}` : `cannot reach ${name}`;
}
