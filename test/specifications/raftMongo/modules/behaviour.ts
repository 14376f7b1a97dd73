import {
  isNullOpTime,
  type OpTime,
  type ReplSetConfig,
  required,
  type Term,
  type TraceEvent,
  TraceNames,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import { type Election, electionsOf, nameOf } from './elections.ts';
import { type CommitPoint, isLess, type State, type Step, serverOf } from './raftMongo.ts';
import { firstOf, lengthOf, termAt, withMore } from './terms.ts';
import { Waiting } from './waiting.ts';

/** A run as a behaviour of RaftMongo. */
export interface Behaviour {
  readonly servers: readonly string[];
  readonly steps: readonly Step[];
  /** Commit points that a newer one overtook on its way. */
  readonly overtaken: number;
  /** Why it ends before the run does, and when; absent if it does not. */
  readonly until?: { readonly atMicros: number; readonly why: string };
}

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
type Until = NonNullable<Behaviour['until']>;

/** Before this many entries a client's write is split, as TLC tries every number of them at every step. */
const MAX_CLIENT_WRITE_SIZE = 20;

const KEPT = new Set<TraceEvent['type']>([
  'runStarted',
  'processStarted',
  'processStopped',
  'configInstalled',
  'termChanged',
  'votePersisted',
  'electionWon',
  'steppedDown',
  'oplogWritten',
  'initialSync',
  'rolledBack',
  'commitPoint',
]);

/** Keeps of a run what RaftMongo speaks of; only at its end is it known which elections were won. */
export class BehaviourReader {
  readonly #names = new TraceNames();
  readonly #events: TraceEvent[] = [];

  observe(event: TraceEvent): void {
    if (KEPT.has(event.type)) this.#events.push(this.#names.named(event));
  }

  /** The behaviour, as far as the run is one that RaftMongo can speak of. Call it when the run is over. */
  end(): Behaviour {
    return new Abstraction(this.#events).behaviour();
  }
}

/** Something that RaftMongo does not have: the behaviour ends before it. */
class Beyond extends Error {}

class Abstraction {
  readonly #events: readonly TraceEvent[];
  readonly #servers: readonly string[];
  readonly #arbiters: ReadonlySet<string>;
  /** Terms with a primary, in order: RaftMongo's are numbered without gaps. */
  readonly #terms: readonly Term[];
  readonly #elections: ReadonlyMap<Term, Election>;
  readonly #waiting: Waiting;
  /** The index of each entry, and how far each member's log goes in the trace, where abstract steps may still wait. */
  readonly #indexes = new Map<string, number>();
  readonly #ends = new Map<string, number>();

  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
    const config = events.find((event) => event.type === 'configInstalled')?.config;
    this.#servers = config === undefined ? [] : votersOf(config);
    this.#arbiters = new Set(config?.members.filter(({ arbiterOnly }) => arbiterOnly).map(({ host }) => nameOf(host)));
    this.#elections = electionsOf(events);
    this.#terms = [...this.#elections.keys()].sort((a, b) => a - b);
    this.#waiting = new Waiting(this.#servers);
  }

  behaviour(): Behaviour {
    let until: Until | undefined;
    for (const event of this.#events) {
      try {
        this.#take(event);
      } catch (error) {
        if (!(error instanceof Beyond)) throw error;
        until = { atMicros: event.atMicros, why: error.message };
        break;
      }
      this.#waiting.retry();
    }
    const { steps, overtaken, stuck } = this.#waiting;
    const servers = this.#servers;
    if (stuck === undefined) return { servers, steps: [...steps], overtaken, ...(until && { until }) };
    const why = `${stuck.server} acts on a message that was under way for so long that RaftMongo, which has none, cannot follow`;
    return { servers, steps: steps.slice(0, stuck.since), overtaken, until: { atMicros: stuck.atMicros, why } };
  }

  #take(event: TraceEvent): void {
    if (!('member' in event)) return;
    switch (event.type) {
      case 'configInstalled':
        return this.#configInstalled(event);
      case 'processStarted':
        return this.#started(event);
      case 'processStopped':
      case 'steppedDown':
        return this.#steppedDown(event);
      case 'termChanged':
        return this.#waiting.want(event, 'term', (state) => this.#termStep(event, state));
      case 'votePersisted': {
        const election = this.#elections.get(event.term);
        const isFirst = event.member === election?.winner && nameOf(event.candidate) === event.member;
        return isFirst && !election.catchesUp ? this.#elect(event, event.term) : undefined;
      }
      case 'oplogWritten':
        return event.origin === 'self' ? this.#wrote(event) : this.#appended(event);
      case 'initialSync':
        if (event.phase === 'started') this.#shorten(event.member, 0, 'throws its log away for an initial sync');
        return;
      case 'rolledBack':
        return this.#rolledBack(event);
      case 'commitPoint':
        return this.#commitPoint(event);
    }
  }

  // --- who there is ---

  #configInstalled({ member, config, forced }: Of<'configInstalled'>): void {
    if (forced) throw new Beyond('a config is forced, and two majorities need not share a member');
    if (votersOf(config).join() !== this.#servers.join())
      throw new Beyond(`${member} takes over a config with other voters, and RaftMongo's servers are always the same`);
    const bearing = config.members.filter(({ votes, arbiterOnly }) => votes === 1 && !arbiterOnly);
    if (bearing.length * 2 <= this.#servers.length)
      throw new Beyond('arbiters leave too few voters with data for the majority that commits');
  }

  /** What a process forgets when it ends, its commit point and terms heard of, the behaviour remembers: a log counts. */
  #started({ member, mode, lastApplied }: Of<'processStarted'>): void {
    if (mode === 'standalone') return;
    this.#shorten(member, this.#indexOf(lastApplied), 'comes back without entries that it had');
  }

  #shorten(member: string, end: number, how: string): void {
    const isShorter = end < (this.#ends.get(member) ?? 0);
    if (isShorter && this.#servers.includes(member))
      throw new Beyond(`${member} ${how}, and RaftMongo's servers lose nothing but by a rollback`);
    this.#ends.set(member, end);
  }

  // --- terms and roles ---

  /** How many terms with a primary there have been by then. */
  #number(term: Term): number {
    const at = this.#terms.findLastIndex((won) => won <= term);
    return at + 1;
  }

  #termStep({ member, atMicros, to }: Of<'termChanged'>, state: State): Step | undefined {
    const currentTerm = this.#number(to);
    if (serverOf(state, member).currentTerm >= currentTerm) return undefined;
    const change = { currentTerm, state: 'Follower' } as const;
    return { atMicros, action: 'UpdateTermThroughHeartbeat', server: member, change };
  }

  /** An old primary among the voters is left to step down by itself, if there are enough without it. */
  #elect({ atMicros, member }: { readonly atMicros: number; readonly member: string }, term: Term): void {
    const { voters } = required(this.#elections.get(term), 'election of that term');
    this.#waiting.want({ atMicros, member }, 'inOrder', (state) => {
      const ofSet = voters.filter((name) => state.has(name));
      const quiet = ofSet.filter((name) => name === member || serverOf(state, name).state === 'Follower');
      const aye = quiet.length * 2 > state.size ? quiet : ofSet;
      const change = { currentTerm: this.#number(term), state: 'Leader' } as const;
      return { atMicros, action: 'BecomePrimaryByMagic', server: member, change, voters: aye };
    });
  }

  #steppedDown({ atMicros, member }: Of<'steppedDown'> | Of<'processStopped'>): void {
    this.#waiting.want({ atMicros, member }, 'inOrder', (state) =>
      serverOf(state, member).state === 'Leader'
        ? { atMicros, action: 'Stepdown', server: member, change: { state: 'Follower' } }
        : undefined,
    );
  }

  // --- logs ---

  #wrote({ atMicros, member, entries }: Of<'oplogWritten'>): void {
    const own = entries.filter(({ opTime }) => !isOfNoTerm(opTime));
    const [first] = own;
    if (first === undefined) return;
    const election = this.#elections.get(first.opTime.t);
    if (election?.catchesUp && election.first === first) this.#elect({ atMicros, member }, first.opTime.t);
    let end = this.#ends.get(member) ?? 0;
    for (const { opTime } of own) this.#indexes.set(keyOf(opTime), ++end);
    this.#ends.set(member, end);
    const term = this.#number(first.opTime.t);
    for (let left = own.length; left > 0; left -= MAX_CLIENT_WRITE_SIZE) {
      const count = Math.min(left, MAX_CLIENT_WRITE_SIZE);
      this.#waiting.want({ atMicros, member }, 'inOrder', (state) => {
        const log = withMore(serverOf(state, member).log, term, count);
        return { atMicros, action: 'ClientWrite', server: member, change: { log } };
      });
    }
  }

  #appended({ atMicros, member, entries }: Of<'oplogWritten'>): void {
    const { opTime } = required(entries.at(-1), 'entry in what was written');
    const end = this.#indexOf(opTime);
    if (end === 0) return;
    this.#ends.set(member, end);
    this.#waiting.want({ atMicros, member }, 'inOrder', (state) => {
      const { log } = serverOf(state, member);
      const source = [...state.values()].find((other) => termAt(other.log, end) === this.#number(opTime.t));
      // Whoever has that entry of that term has all before it.
      const longer =
        source === undefined ? withMore(log, this.#number(opTime.t), end - lengthOf(log)) : firstOf(source.log, end);
      return { atMicros, action: 'AppendOplog', server: member, change: { log: longer } };
    });
  }

  #rolledBack({ atMicros, member, commonPoint }: Of<'rolledBack'>): void {
    const end = this.#indexOf(commonPoint);
    const from = this.#ends.get(member) ?? 0;
    this.#ends.set(member, end);
    for (let length = from - 1; length >= end; length--)
      this.#waiting.want({ atMicros, member }, 'inOrder', (state) => {
        const log = firstOf(serverOf(state, member).log, length);
        return { atMicros, action: 'RollbackOplog', server: member, change: { log } };
      });
  }

  #indexOf(opTime: OpTime): number {
    return isOfNoTerm(opTime) ? 0 : (this.#indexes.get(keyOf(opTime)) ?? 0);
  }

  // --- commit points ---

  /** An arbiter has no log that the specification's check could look at: its commit point stays where it was. */
  #commitPoint({ atMicros, member, opTime, learned }: Of<'commitPoint'>): void {
    if (isOfNoTerm(opTime) || this.#arbiters.has(member)) return;
    const commitPoint: CommitPoint = { term: this.#number(opTime.t), index: this.#indexOf(opTime) };
    const action = learned ? 'LearnCommitPoint' : 'AdvanceCommitPoint';
    if (learned) this.#waiting.overtake(member);
    this.#waiting.want({ atMicros, member }, learned ? 'commitPoint' : 'inOrder', (state) =>
      isLess(serverOf(state, member).commitPoint, commitPoint)
        ? { atMicros, action, server: member, change: { commitPoint } }
        : undefined,
    );
  }
}

function votersOf({ members }: ReplSetConfig): string[] {
  return members.filter(({ votes }) => votes === 1).map(({ host }) => nameOf(host));
}

function isOfNoTerm(opTime: OpTime): boolean {
  return opTime.t === UNINITIALIZED_TERM || isNullOpTime(opTime);
}

function keyOf({ ts, t }: OpTime): string {
  return `${t}:${ts.t}:${ts.i}`;
}
