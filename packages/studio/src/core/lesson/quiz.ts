import { compareOpTimes, formatOpTime, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { type Asked, askedBetween, NOBODY, numbersNear, turnBefore } from './asked.ts';

/** So many questions a kind at most. */
const MOST_OF_A_KIND = 4;

/**
 * Questions about what the set does by itself: who wins an election, who copies a write first and whether a majority gets it, how much
 * a TTL pass deletes. None begins before the one before it is answered, so that no answer gives another one away.
 * @param events all of the trace
 */
export function quizOf(events: readonly TraceEvent[]): readonly Asked[] {
  const from = foldedEvents(events);
  const byThemselves = [elections(events), passes(events)].flatMap((asked) =>
    spread(
      asked.filter(({ seenEvents }) => seenEvents >= from),
      MOST_OF_A_KIND,
    ),
  );
  const ordered = [...byThemselves, ...writes(events, from)].sort((a, b) => a.seenEvents - b.seenEvents);
  const kept: Asked[] = [];
  for (const each of ordered) {
    const last = kept.at(-1);
    if (!last || (each.seenEvents >= last.knownEvents && each.atMicros > last.atMicros)) kept.push(each);
  }
  return kept;
}

/** How a set starts is nothing to ask about where the scenario folds it away. */
function foldedEvents(events: readonly TraceEvent[]): number {
  const folded = events.findIndex((event) => event.type === 'step' && event.folded);
  return folded < 0 ? 0 : events.findIndex((event, i) => i > folded && event.type === 'stepEnded') + 1;
}

/** Of what the set does by itself the reason is what led to it. */
function withReason(
  events: readonly TraceEvent[],
  seen: number,
  known: number,
  asked: Pick<Asked, 'text' | 'choices' | 'answer'>,
): Asked {
  return askedBetween(events, seen, known, { ...asked, why: { kind: 'event', turn: turnBefore(events, known) } });
}

/** So many of them, the first and the last among them, the others evenly between. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.round((i * (all.length - 1)) / (most - 1))]!);
}

function membersOf(events: readonly TraceEvent[]): readonly string[] {
  const [started] = events;
  return started?.type === 'runStarted' ? started.members : [];
}

/** Before the first candidate of a bout stands: whoever saw who does would know too much. */
function elections(events: readonly TraceEvent[]): readonly Asked[] {
  const asked: Asked[] = [];
  const choices = [...membersOf(events), NOBODY];
  const candidates = new Set<string>();
  let began = 0;
  const end = (answer: string, count: number) => {
    candidates.clear();
    asked.push(withReason(events, began, count, { text: 'An election begins. Who wins it?', choices, answer }));
  };
  events.forEach((event, i) => {
    if (event.type === 'electionStarted') {
      if (candidates.size === 0) began = i;
      candidates.add(event.member);
    } else if (event.type === 'electionWon') {
      if (candidates.size > 0) end(event.member, i + 1);
    } else if (event.type === 'electionLost' || event.type === 'processStopped') {
      if (candidates.delete(event.member) && candidates.size === 0) end(NOBODY, i + 1);
    }
  });
  return asked;
}

/** A write of a client, as its author has just written it. */
interface Write {
  readonly author: string;
  readonly entry: OplogEntry;
  /** So many events have happened then. */
  readonly count: number;
}

/** By turns, who else has it first and whether a majority gets it. */
function writes(events: readonly TraceEvent[], from: number): readonly Asked[] {
  const members = membersOf(events);
  if (members.length < 2) return [];
  const found: Write[] = [];
  events.forEach((event, i) => {
    if (event.type !== 'oplogWritten' || event.origin !== 'self' || i < from) return;
    const entry = event.entries.find(isOfClient);
    if (entry) found.push({ author: event.member, entry, count: i + 1 });
  });
  return spread(found, MOST_OF_A_KIND).flatMap((write, i) => {
    const { author, entry, count } = write;
    const asks = i % 2 === 0 ? firstToHave : reachesMajority;
    const outcome = asks(events, write, members);
    if (outcome === undefined) return [];
    const what = `${author} has written ${nameOf(entry)} at ${formatOpTime(entry.opTime, epochSecs(events))}.`;
    return [withReason(events, count, outcome.known, { ...outcome, text: `${what} ${outcome.text}` })];
  });
}

/** So long after a write is looked at what has become of it. Unit: µs. */
const WITHIN_MICROS = 10_000_000;

type Outcome = Pick<Asked, 'text' | 'choices' | 'answer'> & {
  /** With so many events it is known. */
  readonly known: number;
};

/** @returns undefined if the run is over before anybody knows, as all of these */
function firstToHave(
  events: readonly TraceEvent[],
  { author, entry, count }: Write,
  members: readonly string[],
): Outcome | undefined {
  const text = 'Which other member has it first, within 10 s?';
  const choices = [...members.filter((name) => name !== author), NOBODY];
  const limit = (events[count - 1]?.atMicros ?? 0) + WITHIN_MICROS;
  for (let i = count; i < events.length; i++) {
    const event = events[i]!;
    if (event.atMicros > limit) return { text, choices, answer: NOBODY, known: i };
    if (event.type === 'oplogWritten' && event.entries.some(isSameAs(entry)))
      return { text, choices, answer: event.member, known: i + 1 };
  }
  return undefined;
}

/** A commit point says so where the member has the entry: on another branch it may be as high. */
function reachesMajority(events: readonly TraceEvent[], { author, entry, count }: Write): Outcome | undefined {
  const text = 'Within 10 s, does a majority have it, and does the primary know?';
  const choices = ['yes', 'no'];
  const limit = (events[count - 1]?.atMicros ?? 0) + WITHIN_MICROS;
  const holders = new Set([author]);
  for (let i = count; i < events.length; i++) {
    const event = events[i]!;
    if (event.atMicros > limit) return { text, choices, answer: 'no', known: i };
    if (event.type === 'oplogWritten' && event.entries.some(isSameAs(entry))) holders.add(event.member);
    else if (event.type === 'rolledBack' && event.removedEntries.some(isSameAs(entry))) holders.delete(event.member);
    else if (event.type === 'processStarted' && isBehind(event.lastApplied, entry)) holders.delete(event.member);
    else if (
      event.type === 'commitPoint' &&
      !event.learned &&
      holders.has(event.member) &&
      !isBehind(event.opTime, entry)
    )
      return { text, choices, answer: 'yes', known: i + 1 };
  }
  return undefined;
}

function isBehind(opTime: OpTime, entry: OplogEntry): boolean {
  return compareOpTimes(opTime, entry.opTime) < 0;
}

/** Passes that begin when there is an index to look at. */
function passes(events: readonly TraceEvent[]): readonly Asked[] {
  const asked: Asked[] = [];
  const began = new Map<string, number>();
  let hasIndex = false;
  events.forEach((event, i) => {
    if (event.type === 'ttlIndexRegistered') hasIndex ||= isOfUser(event.ns);
    else if (event.type === 'processStopped') began.delete(event.member);
    else if (event.type === 'ttlMonitor' && event.phase === 'inPass' && hasIndex) began.set(event.member, i + 1);
    else if (event.type === 'ttlPassEnded') {
      const seen = began.get(event.member);
      began.delete(event.member);
      if (seen === undefined) return;
      const text = `The TTL monitor of ${event.member} begins a pass. How many documents does it delete?`;
      const answer = String(event.deleted);
      asked.push(withReason(events, seen, i + 1, { text, choices: numbersNear(event.deleted, seen), answer }));
    }
  });
  return asked;
}

const OPERATIONS: Readonly<Record<string, string>> = { i: 'an insert into', u: 'an update of', d: 'a delete from' };

function isOfClient({ operation: { op, ns } }: OplogEntry): boolean {
  return op in OPERATIONS && isOfUser(ns);
}

/** What lies in the set's own databases nobody has written by hand. */
function isOfUser(ns: string): boolean {
  return !/^(admin|config|local)\./.test(ns);
}

function nameOf({ operation: { op, ns } }: OplogEntry): string {
  return `${OPERATIONS[op]} ${ns}`;
}

const isSameAs =
  ({ opTime }: OplogEntry) =>
  (other: OplogEntry) =>
    compareOpTimes(other.opTime, opTime) === 0;

function epochSecs(events: readonly TraceEvent[]): number {
  const [started] = events;
  return started?.type === 'runStarted' ? Math.floor(started.epochMs / 1000) : 0;
}
