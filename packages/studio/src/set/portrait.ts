import { durationText } from '@replsim/kernel';
import type { History } from '../core/history/history.ts';
import { configOf, type MemberAt } from '../core/history/memberAt.ts';
import type { Eye } from './eye.ts';
import type { Icon } from './icons.ts';

/** What a member looks like at an instant, in words and numbers. */
export interface Portrait {
  readonly name: string;
  /** Its state in one word, for colours. */
  readonly look: string;
  readonly icon: Icon;
  /** A primary's: filled as soon as it accepts writes, fallen when it dies. */
  readonly crown: 'none' | 'hollow' | 'full' | 'fallen';
  readonly isArbiter: boolean;
  readonly isPaused: boolean;
  readonly isDead: boolean;
  readonly state: string;
  /** What it waits for, has said or suffers. */
  readonly detail: string;
  /** How far it has waited until it stands for election, and until its TTL monitor wakes: from 0 to 1; undefined if it waits for neither. */
  readonly election: number | undefined;
  readonly pass: number | undefined;
  /** Its TTL monitor deletes when it wakes: it accepts writes. */
  readonly mayDelete: boolean;
  readonly ballots: Ballots | undefined;
  readonly documents: number | undefined;
  readonly keptInFiles: number;
}

/** A candidate's votes: so many of so many voters, and how many it needs. */
export interface Ballots {
  readonly votes: number;
  readonly needed: number;
  readonly voters: number;
  readonly isDryRun: boolean;
}

/** How long a winner keeps its votes in sight. Unit: ms of film. */
const KEPT = 2600;
/** Less of a wait than this is one that the next heartbeat ends. */
const WORTH_SAYING = 0.15;

export function portraitOf(history: History, member: MemberAt, others: readonly MemberAt[], eye: Eye): Portrait {
  const { name, process, state, acceptsWrites } = member;
  const place = configOf(member, others);
  const isPaused = process === 'paused';
  const isDead = process !== 'running' && !isPaused;
  const isPrimary = state === 'PRIMARY' && !isDead;
  const diedPrimary = isDead && member.endedAs === 'PRIMARY';
  const isArbiter = place?.arbiterOnly ?? false;
  const mayStand = !isArbiter && place !== undefined && place.priority > 0 && !isDead && !isPrimary;
  const election = mayStand ? electionPart(member, eye.atMicros) : undefined;
  return {
    name,
    look: process === 'running' ? state.toLowerCase() : process.replace(' ', '-'),
    icon: iconOf(member, isArbiter),
    crown: isPrimary ? (acceptsWrites ? 'full' : 'hollow') : diedPrimary ? 'fallen' : 'none',
    isArbiter,
    isPaused,
    isDead,
    state: stateText(member),
    detail: detailText(history, member, election, eye),
    election,
    pass: passPart(member, eye.atMicros),
    mayDelete: process === 'running' && (acceptsWrites || member.standalone),
    ballots: ballotsOf(history, member, others, eye),
    documents: isArbiter ? undefined : history.documents.after(member.lastApplied),
    keptInFiles: member.keptInFiles,
  };
}

const STATE_ICONS: Readonly<Record<string, Icon>> = {
  PRIMARY: 'pen',
  SECONDARY: 'copy',
  ARBITER: 'scale',
  STARTUP: 'dots',
  STARTUP2: 'download',
  RECOVERING: 'turn',
  ROLLBACK: 'back',
  STANDALONE: 'alone',
};

function iconOf({ process, state, votes }: MemberAt, isArbiter: boolean): Icon {
  if (process === 'paused') return 'frost';
  if (process !== 'running') return 'cross';
  if (votes) return 'ballot';
  return isArbiter && state !== 'STARTUP' ? 'scale' : (STATE_ICONS[state] ?? 'dots');
}

function stateText({ process, state, acceptsWrites, term, votes, endedAs }: MemberAt): string {
  if (process === 'paused') return 'PAUSED';
  if (process === 'not started') return 'NOT STARTED';
  if (process !== 'running') return endedAs === 'PRIMARY' ? 'DOWN · was primary' : 'DOWN';
  if (votes && state === 'SECONDARY') return `CANDIDATE · term ${term}`;
  if (state === 'PRIMARY' && !acceptsWrites) return `PRIMARY · term ${term}`;
  return state === 'STARTUP' || state === 'STANDALONE' ? state : `${state} · term ${term}`;
}

/** From when the wait runs: until then the newest sign of life of a primary puts it off. */
function electionPart(member: MemberAt, atMicros: number): number | undefined {
  const { takeoverDue, electionDue, config } = member;
  if (takeoverDue) {
    const { sinceMicros, dueMicros } = takeoverDue;
    return partOf(atMicros, sinceMicros, dueMicros);
  }
  const { dueMicros, drawnMicros = 0 } = electionDue ?? {};
  const timeoutMillis = config?.settings.electionTimeoutMillis;
  if (dueMicros === undefined || timeoutMillis === undefined) return undefined;
  return partOf(atMicros, dueMicros - drawnMicros - 1000 * timeoutMillis, dueMicros);
}

function passPart({ ttl, held }: MemberAt, atMicros: number): number | undefined {
  if (!ttl || ttl.phase === 'off' || ttl.disabled || held.includes('ttl')) return undefined;
  if (ttl.phase !== 'sleeping') return 1;
  const { sinceMicros, wakeMicros } = ttl;
  return sinceMicros === undefined || wakeMicros === undefined ? undefined : partOf(atMicros, sinceMicros, wakeMicros);
}

function partOf(atMicros: number, fromMicros: number, toMicros: number): number {
  if (toMicros <= fromMicros) return 1;
  return Math.min(1, Math.max(0, (atMicros - fromMicros) / (toMicros - fromMicros)));
}

function ballotsOf(
  history: History,
  { name, votes, config, process }: MemberAt,
  others: readonly MemberAt[],
  eye: Eye,
): Ballots | undefined {
  if (process !== 'running') return undefined;
  const known = config ?? others.find((other) => other.config)?.config;
  const voters = known?.members.filter((each) => each.votes > 0).length ?? 0;
  if (votes) return { votes: votes.votes, needed: votes.needed, voters, isDryRun: votes.dryRun };
  const won = history.happenings.last(
    eye.atMicros,
    ({ type, member }) => type === 'electionWon' && member === name,
    60,
  );
  if (won?.type !== 'electionWon' || eye.millisInto(won.atMicros, KEPT) > KEPT) return undefined;
  return { votes: won.votes, needed: Math.floor(voters / 2) + 1, voters, isDryRun: false };
}

function detailText(history: History, member: MemberAt, election: number | undefined, eye: Eye): string {
  const { name, process, votes, answered, state, syncSource, acceptsWrites, held, ttl } = member;
  if (process === 'not started') return '';
  if (process !== 'running') {
    const stopped = history.happenings.last(
      eye.atMicros,
      (event) => event.member === name && (event.type === 'processStopped' || event.type === 'processPaused'),
    );
    const how = process === 'fatal' ? 'died of an error' : process === 'shutdown' ? 'shut down' : process;
    return stopped ? `${how} ${ago(eye.atMicros - stopped.atMicros)} ago` : how;
  }
  if (votes) return votes.dryRun ? 'dry run: would you?' : 'asks for votes';
  if (answered)
    return `${answered.granted ? 'yes' : 'no'} to ${short(answered.candidate)}${answered.dryRun ? ' (dry run)' : ''}`;
  if (state === 'PRIMARY' && !acceptsWrites) return 'no writes yet';
  if (state === 'ROLLBACK') return 'undoes its own writes';
  if (state === 'STARTUP2' && syncSource) return `copies from ${short(syncSource)}`;
  const due = member.takeoverDue?.dueMicros ?? member.electionDue?.dueMicros;
  if (election !== undefined && election > WORTH_SAYING && due !== undefined) {
    // A takeover comes; an election only if no heartbeat does.
    const when = formatSecs((due - eye.atMicros) / 1e6);
    return member.takeoverDue ? `stands in ${when}` : `waits ${when} more`;
  }
  if (ttl?.phase === 'inPass' && acceptsWrites) return 'TTL pass';
  return held.length > 0 ? `held: ${held.join(', ')}` : '';
}

/** Longer than a second in tenths, so that it does not flicker. */
function formatSecs(secs: number): string {
  return `${Math.max(0, secs).toFixed(1)} s`;
}

function ago(micros: number): string {
  return micros < 1e6 ? durationText(Math.round(micros / 1000) * 1000) : formatSecs(micros / 1e6);
}

export function short(host: string): string {
  return host.replace(/:27017$/, '');
}
