import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { nameOf } from './memberStory.ts';
import { Silences } from './silences.ts';
import { type CauseLink, type ToldLink, toldOnce } from './toldOnce.ts';

type Header = Extract<TraceEvent, { type: 'runStarted' }>;

/** Says what events of one turn come to, a sentence each without its time; none for what is not worth a word. */
export type Tell = (header: Header, events: readonly TraceEvent[]) => readonly string[];

type Begun = Extract<TraceEvent, { type: 'turn' | 'clientTurn' | 'input' }>;

/** A turn or an input, and what came of it at once. */
interface Turn {
  readonly begun: Begun;
  readonly events: TraceEvent[];
  /** Of an election's timer: of whom nothing was heard then, and the turn from which that came. */
  readonly silence: { readonly text: string; readonly cause: number | undefined } | undefined;
}

/** What bears on no chain: it is not kept. */
const UNTOLD: ReadonlySet<string> = new Set([
  'sent',
  'delivered',
  'lost',
  'deadline',
  'votesCounted',
  'log',
  'commandStarted',
]);

/**
 * Why something happened, from a trace with causes: the chain from an event back to a step, a fault or time zero.
 * Show it every event in order; ask when it has seen those that are asked about.
 */
export class Causes {
  readonly #names = new TraceNames();
  readonly #silences = new Silences();
  readonly #turns = new Map<number, Turn>();
  readonly #tell: Tell;
  #latest: Turn | undefined;
  #header: Header | undefined;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  observe(given: TraceEvent): void {
    const event = this.#names.named(given);
    if (given.type === 'runStarted') this.#header = given;
    if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') {
      const ofElection = event.type === 'turn' && event.kind === 'timer' && event.what === 'election';
      this.#latest = {
        begun: event,
        events: [],
        silence: ofElection ? this.#silences.around(event.member) : undefined,
      };
      this.#turns.set(event.turn, this.#latest);
    } else if (('member' in event || 'workload' in event) && !UNTOLD.has(event.type)) {
      this.#latest?.events.push(given);
    }
    this.#silences.observe(event, this.#latest?.begun.turn ?? 0);
  }

  /** The number of the last thing up to now of which something is to be told. @param member only what it did itself */
  latest(member?: string): number | undefined {
    for (const [number, turn] of [...this.#turns].reverse()) {
      const events = turn.events.filter((event) => 'member' in event && (!member || event.member === member));
      if (events.length > 0 && this.#told(events).length > 0) return number;
    }
    return undefined;
  }

  /** Which numbers there are; undefined if the trace has no causes. */
  get range(): readonly [first: number, last: number] | undefined {
    const numbers = [...this.#turns.keys()];
    const [first] = numbers;
    const last = numbers.at(-1);
    return first === undefined || last === undefined ? undefined : [first, last];
  }

  /** From a turn or input back to where it all began, newest first; undefined if there is none of this number. */
  chain(number: number): CauseLink[] | undefined {
    let turn = this.#turns.get(number);
    if (turn === undefined) return undefined;
    const links: ToldLink[] = [];
    let first = turn;
    while (turn !== undefined) {
      links.push(this.#link(turn));
      first = turn;
      turn = this.#turns.get(causeOf(turn) ?? 0);
    }
    if (first.begun.type !== 'input') links.push(beginning(first));
    return toldOnce(links);
  }

  #told(events: readonly TraceEvent[]): readonly string[] {
    return this.#header ? this.#tell(this.#header, events) : [];
  }

  #link({ begun, events, silence }: Turn): ToldLink {
    const did = this.#told(events);
    const told = did.length > MOST_TOLD ? [...did.slice(0, MOST_TOLD), `${did.length - MOST_TOLD} more`] : did;
    const text = [`${howText(begun)}${silence ? `, as ${silence.text}` : ''}`, ...told].join('; ');
    return { turn: begun.turn, atMicros: begun.atMicros, text, ends: begun.type === 'input' };
  }
}

/** The turn in which a set is initiated, before anybody can listen. */
const INITIATION = 1;

/** Where a chain ends that nobody from outside has begun: with the set, or with what there is of its trace. */
function beginning(first: Turn): ToldLink {
  const { atMicros } = first.begun;
  return (causeOf(first) ?? 0) <= INITIATION
    ? { turn: 0, atMicros: 0, text: 'time zero: the set is started', ends: true }
    : { turn: 0, atMicros, text: 'the cause is not in this part of the trace', ends: true };
}

/** So many of the things that one turn did are told. */
const MOST_TOLD = 3;

/** What a turn came of: of a timer that nothing stopped, whatever silenced the one who would have. */
function causeOf({ begun, silence }: Turn): number | undefined {
  if (begun.type === 'input') return undefined;
  return silence?.cause ?? begun.cause;
}

function howText(begun: Begun): string {
  if (begun.type === 'input') return inputText(begun);
  if (begun.type === 'clientTurn') return clientText(begun);
  const { member, kind, what, peer } = begun;
  switch (kind) {
    case 'message':
      return `${what} of ${nameOf(peer ?? '')} reaches ${member}`;
    case 'timer':
      return `${member}: ${timerText(what)}`;
    case 'disk':
      return `${member}: its disk has finished the ${what}`;
    case 'command':
      return `a client’s ${what} reaches ${member}`;
    case 'started':
      return `${member}’s process begins`;
    case 'connection':
    case 'signal':
      return `${member}: ${what}`;
  }
}

function inputText({ kind, what }: Extract<Begun, { type: 'input' }>): string {
  if (kind === 'fault') return what;
  return kind === 'step' ? `the step ${what}` : `somebody outside sends ${what}`;
}

function timerText(key: string): string {
  const [kind = '', which = ''] = key.split(':');
  return TIMERS[kind] ?? (kind === 'op' ? `it continues operation ${which}` : `its timer ${key} goes off`);
}

/** What it means that a member's timer goes off, by the timer's key up to a colon. */
const TIMERS: Readonly<Record<string, string>> = {
  election: 'its election timeout has passed',
  takeover: 'it has waited long enough for its takeover',
  catchUp: 'its time to catch up is up',
  stepDownUntil: 'it may stand again',
  votes: 'it stops waiting for votes',
  liveness: 'it checks who has been silent too long',
  hb: 'it is time for a heartbeat',
  fetch: 'it continues to fetch',
  write: 'it has written what it fetched to its oplog',
  apply: 'it has applied a batch',
  progress: 'it is time to report its position',
  noop: 'it is time for a periodic no-op',
  journal: 'it is time to flush the journal',
  checkpoint: 'it is time for a checkpoint',
  ttl: 'its TTL monitor continues',
  park: 'a fetcher has waited long enough for news',
};

function clientText({ client, what }: Extract<Begun, { type: 'clientTurn' }>): string {
  if (what === 'timer') return `client ${client} continues`;
  return what === 'retransmission' ? `client ${client}’s message is sent again` : `client ${client}’s ${what} arrives`;
}
