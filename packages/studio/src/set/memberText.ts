import { durationText, formatInstant } from '@replsim/kernel';
import { formatOpTime, type MemberConfig, type OpTime } from '@replsim/protocol';
import { clockAheadMs, configOf, type MemberAt } from '../core/history/memberAt.ts';

/** What is said of a member, each in a few words; `undefined` where there is nothing to say. */
export interface MemberText {
  /** Its state, and what keeps it from being what that says. */
  readonly state: string;
  /** Arbiter, hidden, delayed: what sets it apart. */
  readonly role: string | undefined;
  readonly standing: string | undefined;
  /** What it does in an election, or when it stands. */
  readonly election: string | undefined;
  /** Until when it waits for a primary to be heard of: what chance adds to that is drawn then. */
  readonly waits: string | undefined;
  readonly term: string;
  readonly config: string;
  readonly clock: string | undefined;
  readonly applied: string | undefined;
  readonly majority: string | undefined;
  readonly held: string | undefined;
  /** What its TTL monitor does. */
  readonly ttl: string | undefined;
  /** Why that may not delete. */
  readonly ttlBar: string | undefined;
  readonly tags: string | undefined;
}

/** @param epochSecs see `History.epochSecs` */
export function memberText(
  member: MemberAt,
  others: readonly MemberAt[],
  atMicros: number,
  epochSecs: number,
): MemberText {
  const place = configOf(member, others);
  const optime = (opTime: OpTime | undefined) => opTime && formatOpTime(opTime, epochSecs);
  return {
    state: stateText(member),
    role: place && roleText(place),
    standing: place && `votes ${place.votes} · priority ${place.priority}`,
    election: electionText(member),
    waits: waitText(member),
    term: `term ${member.term}`,
    config: member.config ? `config ${member.config.version} of term ${member.config.term}` : 'no config',
    clock: clockText(clockAheadMs(member, atMicros)),
    applied: optime(member.lastApplied),
    majority: optime(member.commitPoint),
    held: member.held.length > 0 ? `held: ${member.held.join(', ')}` : undefined,
    ttl: ttlText(member),
    ttlBar: ttlBarText(member),
    tags: place && tagsText(place),
  };
}

function stateText({ process, state, acceptsWrites }: MemberAt): string {
  if (process === 'paused') return 'paused';
  return state === 'PRIMARY' && !acceptsWrites ? 'PRIMARY, no writes' : state;
}

function roleText({ arbiterOnly, hidden, secondaryDelaySecs }: MemberConfig): string | undefined {
  const roles = [
    ...(arbiterOnly ? ['arbiter'] : []),
    ...(hidden ? ['hidden'] : []),
    ...(secondaryDelaySecs > 0 ? [`delayed ${durationText(secondaryDelaySecs * 1e6)}`] : []),
  ];
  return roles.length > 0 ? roles.join(', ') : undefined;
}

function electionText({ votes, answered, electionDue }: MemberAt): string | undefined {
  if (votes) return `${votes.dryRun ? 'dry run' : 'election'}: ${votes.votes} of ${votes.needed} needed`;
  if (answered) {
    const said = `${answered.granted ? 'yes' : 'no'} to ${answered.candidate.replace(/:27017$/, '')}`;
    return `${said} in ${answered.dryRun ? 'a dry run' : `term ${answered.term}`}`;
  }
  const { dueMicros, drawnMicros } = electionDue ?? {};
  return dueMicros === undefined || drawnMicros === undefined ? undefined : `stands at ${formatInstant(dueMicros)}`;
}

function waitText({ electionDue }: MemberAt): string | undefined {
  const { dueMicros, drawnMicros } = electionDue ?? {};
  if (dueMicros === undefined) return undefined;
  return drawnMicros === undefined
    ? `stands at ${formatInstant(dueMicros)} or later`
    : `${durationText(Math.round(drawnMicros / 1000) * 1000)} of its wait is random`;
}

function tagsText({ tags }: MemberConfig): string | undefined {
  const all = Object.entries(tags).map(([key, value]) => `${key}: ${value}`);
  return all.length > 0 ? all.join(', ') : undefined;
}

function clockText(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) < 0.5) return undefined;
  const secs = (aheadMs / 1000).toFixed(3).replace(/\.?0+$/, '');
  return `clock ${aheadMs > 0 ? '+' : ''}${secs} s`;
}

function ttlText({ process, ttl, ttlBarred, held }: MemberAt): string | undefined {
  if (process !== 'running' && process !== 'paused') return undefined;
  if (ttlBarred || !ttl || ttl.phase === 'off') return 'TTL monitor off';
  if (held.includes('ttl')) return 'TTL held';
  if (ttl.phase === 'inPass') return 'TTL in a pass';
  if (ttl.phase === 'hanging') return 'TTL hangs before a pass';
  return ttl.wakeMicros === undefined ? 'TTL asleep' : `TTL asleep until ${formatInstant(ttl.wakeMicros)}`;
}

function ttlBarText({ ttl, ttlBarred, standalone, acceptsWrites, state }: MemberAt): string | undefined {
  if (ttlBarred) return 'a set’s data, and no set';
  if (!ttl || ttl.phase === 'off') return undefined;
  if (ttl.disabled) return 'disabled by its parameter';
  if (standalone || acceptsWrites) return undefined;
  return state === 'PRIMARY' ? 'may not: not yet writable' : 'may not: not primary';
}
