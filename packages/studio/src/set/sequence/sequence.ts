import { durationText, formatInstant } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import type { History } from '../../core/history/history.ts';
import { refusalOf } from '../../core/history/traffic.ts';
import { kindOf } from '../flying.ts';
import { short } from '../portrait.ts';

/** A stretch of a run as a sequence diagram: what members said to each other, and what became of them, in order. */
export interface Sequence {
  readonly members: readonly string[];
  readonly fromMicros: number;
  readonly toMicros: number;
  readonly rows: readonly Row[];
}

export type Row =
  | {
      readonly kind: 'message';
      readonly atMicros: number;
      readonly endedMicros: number | undefined;
      readonly from: string;
      readonly to: string;
      readonly text: string;
      readonly look: 'ask' | 'reply' | 'yes' | 'no' | 'lost';
    }
  | {
      readonly kind: 'note';
      readonly atMicros: number;
      readonly member: string;
      readonly text: string;
      readonly mood: Mood;
    }
  /** What concerns the set as a whole: a step, a cut, or so many heartbeats in between. */
  | { readonly kind: 'line'; readonly atMicros: number; readonly text: string; readonly isFaint: boolean };

export type Mood = 'plain' | 'good' | 'bad' | 'vote';

/** Everything in a stretch that says something; heartbeats and the rest of the talk are counted. */
export function sequenceOf(history: History, fromMicros: number, toMicros: number): Sequence {
  const within = history.events.filter(({ atMicros }) => atMicros >= fromMicros && atMicros <= toMicros);
  const rows: Row[] = [...within.flatMap(rowsOf), ...messagesOf(history, fromMicros, toMicros)];
  rows.sort((a, b) => a.atMicros - b.atMicros);
  return {
    members: history.memberNames,
    fromMicros,
    toMicros,
    rows: withHeartbeats(rows, history, fromMicros, toMicros),
  };
}

/** More rows than that nobody reads, and some viewers do not draw. */
const MOST_ROWS = 300;

/** Why a sequence is not drawn, if it has too many rows. */
export function tooLong({ rows }: Sequence): string | undefined {
  const next = rows[MOST_ROWS];
  return (
    next &&
    `this stretch has ${rows.length} rows, and at most ${MOST_ROWS} are drawn: choose a shorter one, which ends before ${formatInstant(next.atMicros)}`
  );
}

function messagesOf(history: History, fromMicros: number, toMicros: number): readonly Row[] {
  const { traffic, happenings } = history;
  return traffic.sentBetween(fromMicros - 1, toMicros, Number.POSITIVE_INFINITY).flatMap((flight): Row[] => {
    if (kindOf(flight.what) !== 'vote') return [];
    const { from, to, sentMicros: atMicros, endedMicros, lost } = flight;
    const row = { kind: 'message', atMicros, endedMicros, from, to } as const;
    const refusal = refusalOf(flight);
    if (refusal !== undefined) return [{ ...row, text: refusal.toLowerCase(), look: 'lost' }];
    if (!/\breply\b/.test(flight.what)) {
      const asked = happenings.last(atMicros, (event) => event.type === 'votesRequested' && event.member === from);
      const request = asked?.type === 'votesRequested' ? asked : undefined;
      const text = request?.dryRun
        ? `would you vote for me? (term ${request.term})`
        : `vote for me, term ${request?.term}`;
      return [{ ...row, text, look: lost ? 'lost' : 'ask' }];
    }
    const answered = happenings.last(
      atMicros,
      (event) => event.type === 'voteAnswered' && event.member === from && short(event.candidate) === to,
    );
    const answer = answered?.type === 'voteAnswered' ? answered : undefined;
    const text = answer === undefined ? 'reply' : answer.granted ? 'yes' : `no: ${answer.reason}`;
    return [{ ...row, text, look: answer === undefined ? 'reply' : answer.granted ? 'yes' : 'no' }];
  });
}

function rowsOf(event: TraceEvent): Row[] {
  const { atMicros } = event;
  if (!('member' in event)) {
    const text = lineOf(event);
    return text === undefined ? [] : [{ kind: 'line', atMicros, text, isFaint: false }];
  }
  if (event.type === 'oplogWritten' && event.origin === 'fetched' && event.source !== undefined) {
    const text = event.entries.length === 1 ? '1 entry' : `${event.entries.length} entries`;
    const from = short(event.source);
    return [{ kind: 'message', atMicros, endedMicros: atMicros, from, to: event.member, text, look: 'reply' }];
  }
  const [text, mood = 'plain'] = noteOf(event) ?? [];
  return text === undefined ? [] : [{ kind: 'note', atMicros, member: event.member, text, mood }];
}

function lineOf(event: TraceEvent): string | undefined {
  switch (event.type) {
    case 'step':
      return event.text;
    case 'partitioned':
      return `cut: ${event.groups.map((group) => group.join(' ')).join(' | ')}`;
    case 'cut':
      return `cut: ${event.from} to ${event.to}`;
    case 'healed':
      return event.members === 'all' ? 'all links heal' : `links of ${event.members.join(', ')} heal`;
    default:
      return undefined;
  }
}

function noteOf(event: TraceEvent): readonly [text: string, mood?: Mood] | undefined {
  switch (event.type) {
    case 'processStopped':
      return [event.how === 'fatal' ? 'dies of an error' : event.how, 'bad'];
    case 'processStarted':
      return ['starts'];
    case 'processPaused':
      return ['paused', 'bad'];
    case 'processResumed':
      return ['goes on'];
    case 'memberSeen':
      if (event.to === 'DOWN') return [`${short(event.other)} does not answer`, 'bad'];
      return event.to === 'PRIMARY' ? [`${short(event.other)} is primary`, 'good'] : undefined;
    case 'stateChanged':
      return [event.to, event.to === 'PRIMARY' ? 'good' : event.to === 'ROLLBACK' ? 'bad' : 'plain'];
    case 'electionStarted':
      return [event.dryRun ? 'stands for election: a dry run first' : 'stands for election', 'vote'];
    case 'electionWon':
      return [`elected for term ${event.term} by ${event.votes} votes`, 'good'];
    case 'electionLost':
      return ['not elected', 'bad'];
    case 'acceptsWrites':
      return event.value ? ['accepts writes', 'good'] : ['no more writes', 'bad'];
    case 'steppedDown':
      return ['steps down', 'bad'];
    case 'rolledBack':
      return [`undoes ${event.removedEntries.length} entries`, 'bad'];
    case 'ttlDeleted':
      return [`TTL deletes ${event.dates.length}`, 'vote'];
    case 'oplogWritten':
      return [event.entries.length === 1 ? 'writes 1 entry' : `writes ${event.entries.length} entries`];
    default:
      return undefined;
  }
}

/** Puts a line where heartbeats went to and fro between two rows that are not close to each other. */
function withHeartbeats(rows: readonly Row[], history: History, fromMicros: number, toMicros: number): readonly Row[] {
  const all: Row[] = [];
  let before = fromMicros;
  for (const next of [...rows, undefined]) {
    const until = next?.atMicros ?? toMicros;
    if (until - before >= QUIET_MICROS) {
      const flights = history.traffic.sentBetween(before, until, Number.POSITIVE_INFINITY);
      const beats = flights.filter(({ what }) => what === 'replSetHeartbeat').length;
      const text = `${durationText(Math.round((until - before) / 1000) * 1000)}${beats > 0 ? `, ${beats} heartbeats` : ''}`;
      all.push({ kind: 'line', atMicros: before, text, isFaint: true });
    }
    if (next) all.push(next);
    before = Math.max(before, until);
  }
  return all;
}

const QUIET_MICROS = 100_000;

/** From when to when it is, as a title says it. */
export function titleOf({ fromMicros, toMicros }: Sequence): string {
  return `${formatInstant(fromMicros)} – ${formatInstant(toMicros)}`;
}
