import { type OpTime, type Term, type TraceEvent, TraceNames } from '@replsim/protocol';
import { EMPTY_LOG, Entries, type Entry, holds, isOfNoTerm, showEntry } from './entries.ts';
import { whatTakesItAway } from './fit.ts';
import {
  cut,
  dataBearingVotersOf,
  hasHeld,
  isArbiter,
  isCommitPointLess,
  isMajority,
  learn,
  type Member,
  nameOf,
  newMember,
  notBehind,
  raiseTerm,
  votersOf,
} from './members.ts';

/** RaftMongo's actions; LearnCommitPointFromSyncSource is its LearnCommitPointFromSyncSourceNeverBeyondLastApplied. */
export const ACTIONS = [
  'AppendOplog',
  'RollbackOplog',
  'BecomePrimaryByMagic',
  'Stepdown',
  'ClientWrite',
  'UpdateTermThroughHeartbeat',
  'AdvanceCommitPoint',
  'LearnCommitPointWithTermCheck',
  'LearnCommitPointFromSyncSource',
] as const;
export type Action = (typeof ACTIONS)[number];

/** What members do that RaftMongo does not speak of. */
export const OUTSIDE = {
  entryOfNoTerm: 'an entry without a term, from before the first election',
  catchUp: 'a primary appends in its catch-up, before it writes; the specification has none',
  lostElection: 'a candidate raised its term and was not elected; the specification knows won elections only',
  reconfig: 'other voters; the specification has one constant set of servers',
  arbiter: "an arbiter takes over a commit point, though it has no log that the specification's check could look at",
  crash: 'a process ended and took entries along that were not flushed',
  emptied: 'a member came back with an empty disk',
  restart: 'a process ended and forgot its commit point, or a term that it had only heard of',
  initialSync: 'an initial sync threw a log away',
} as const;
export type Outside = keyof typeof OUTSIDE;

/** A step is an action now, or one by what a message under way told, or not the specification's. */
export type Kind = Action | `${Action}, delayed` | `outside: ${Outside}`;

/** A table of how often each kind of step came about. */
export function describeSteps(tally: ReadonlyMap<Kind, number>): string {
  return [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`)
    .join('\n');
}

/** The run is not a behaviour of RaftMongo. */
export class NotRaftMongo extends Error {
  override readonly name = 'NotRaftMongo';
}

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

interface Vote {
  readonly candidate: string;
  readonly log: Entry;
}

/**
 * Holds a run against MongoDB's specification RaftMongo.tla: keeps terms, roles, logs, commit points and configs as the
 * trace tells them, and takes each change for one of its actions. It shares no code with members or checkers.
 * The specification's actions look at two servers at once; messages take time, so what a member acts on may be a thing of
 * the past. Such a step is counted apart. Upstream: src/mongo/tla_plus/Replication/RaftMongo.
 */
export class RaftMongoReader {
  readonly #names = new TraceNames();
  readonly #members = new Map<string, Member>();
  readonly #entries = new Entries();
  readonly #votes = new Map<Term, Map<string, Vote>>();
  readonly #raised = new Set<Term>();
  #committed: Entry = EMPTY_LOG;
  readonly tally = new Map<Kind, number>();
  /** Why the rest of the run is not held against the specification, and from when. */
  unfit: { readonly atMicros: number; readonly why: string } | undefined;

  /** @throws NotRaftMongo */
  observe(event: TraceEvent): void {
    if (this.unfit !== undefined) return;
    const why = whatTakesItAway(event, [...this.#members.values()]);
    if (why !== undefined) {
      this.unfit = { atMicros: event.atMicros, why };
      return;
    }
    try {
      this.#step(this.#names.named(event));
    } catch (error) {
      if (!(error instanceof NotRaftMongo)) throw error;
      throw new NotRaftMongo(
        `${(event.atMicros / 1e6).toFixed(6)}s ${'member' in event ? event.member : ''}: ${error.message}`,
      );
    }
  }

  /** Elections that nobody has won by the end of the run are told then. */
  end(): void {
    for (const _ of this.#raised) this.#count('outside: lostElection');
    this.#raised.clear();
  }

  #step(event: TraceEvent): void {
    switch (event.type) {
      case 'processStarted':
        return this.#started(event);
      case 'processStopped':
        return this.#stopped(this.#member(event.member));
      case 'configInstalled':
        return this.#configInstalled(event);
      case 'termChanged':
        return this.#termChanged(event);
      case 'electionStarted':
        this.#member(event.member).stands = true;
        return;
      case 'votePersisted':
        return this.#voted(event);
      case 'electionWon':
        return this.#elected(event);
      case 'steppedDown':
        return this.#steppedDown(this.#member(event.member));
      case 'oplogWritten':
        return event.origin === 'self' ? this.#wrote(event) : this.#appended(event);
      case 'initialSync':
        return this.#initialSync(event);
      case 'rolledBack':
        return this.#rolledBack(event);
      case 'commitPoint':
        return event.learned ? this.#learned(event) : this.#advanced(event);
    }
  }

  // --- terms and roles ---

  #termChanged({ member, to }: Of<'termChanged'>): void {
    const me = this.#member(member);
    must(
      me.state === 'Follower',
      `UpdateTermThroughHeartbeat: it leads t${me.currentTerm} and hears of t${to} without a step-down`,
    );
    must(to > me.currentTerm, `UpdateTermThroughHeartbeat: t${to} is no later than its t${me.currentTerm}`);
    const others = this.#others(me);
    if (others.some(({ currentTerm }) => currentTerm === to)) this.#count('UpdateTermThroughHeartbeat');
    else if (others.some(({ highestTerm }) => highestTerm >= to)) this.#count('UpdateTermThroughHeartbeat, delayed');
    else {
      must(me.stands && to === me.currentTerm + 1, `UpdateTermThroughHeartbeat: nobody has been in t${to}`);
      // The first part of an election: counted when it is won, or when it never was.
      this.#raised.add(to);
    }
    raiseTerm(me, to);
  }

  #voted({ member, term, candidate }: Of<'votePersisted'>): void {
    const me = this.#member(member);
    const votes = this.#votes.get(term) ?? new Map<string, Vote>();
    this.#votes.set(term, votes);
    const name = nameOf(candidate);
    const before = votes.get(member)?.candidate;
    must(
      before === undefined || before === name,
      `BecomePrimaryByMagic: it votes for ${name} in t${term}, and has voted for ${before}`,
    );
    must(me.state === 'Follower', `BecomePrimaryByMagic: it votes in t${term} while it leads t${me.currentTerm}`);
    votes.set(member, { candidate: name, log: me.log });
  }

  #elected({ member, term }: Of<'electionWon'>): void {
    const me = this.#member(member);
    must(me.currentTerm === term, `BecomePrimaryByMagic: it is elected in t${term} and its term is t${me.currentTerm}`);
    const rival = this.#others(me).find(({ state, currentTerm }) => state === 'Leader' && currentTerm === term);
    must(rival === undefined, `NoTwoPrimariesInSameTerm: ${rival?.name} leads t${term} too`);
    const votes = [...(this.#votes.get(term) ?? [])].filter(([, { candidate }]) => candidate === member);
    const ayeVoters = votes.map(([name]) => name);
    must(
      isMajority(ayeVoters, configOf(me)),
      `BecomePrimaryByMagic: ${ayeVoters.join(', ') || 'nobody'} voted for it, which is no majority`,
    );
    // The trace does not tell what the candidate claimed. A candidate's log only grows, so what it has now is the most.
    for (const [name, { log }] of votes)
      must(
        notBehind(me.log, log),
        `BecomePrimaryByMagic: ${name} voted for it with ${showEntry(log)}, and it has ${showEntry(me.log)}`,
      );
    const now = ayeVoters.every((name) => {
      const voter = this.#member(name);
      return voter.currentTerm <= term && notBehind(me.log, voter.log);
    });
    this.#count(now ? 'BecomePrimaryByMagic' : 'BecomePrimaryByMagic, delayed');
    this.#raised.delete(term);
    me.state = 'Leader';
  }

  #steppedDown(me: Member): void {
    must(me.state === 'Leader', 'Stepdown: it does not lead');
    this.#count('Stepdown');
    me.state = 'Follower';
  }

  // --- logs ---

  #wrote({ member, entries }: Of<'oplogWritten'>): void {
    const me = this.#member(member);
    for (const { opTime } of entries) {
      if (isOfNoTerm(opTime)) {
        this.#count('outside: entryOfNoTerm');
        continue;
      }
      must(me.state === 'Leader', 'ClientWrite: it does not lead');
      must(opTime.t === me.currentTerm, `ClientWrite: an entry of t${opTime.t} in its t${me.currentTerm}`);
      must(this.#entries.find(opTime) === undefined, `ClientWrite: an entry that was written before`);
      me.log = this.#entries.write(opTime, me.log);
      this.#count('ClientWrite');
    }
  }

  #appended({ member, entries }: Of<'oplogWritten'>): void {
    const me = this.#member(member);
    let log = me.log;
    for (const { opTime } of entries) {
      if (isOfNoTerm(opTime)) continue;
      const entry = this.#entries.find(opTime);
      must(entry !== undefined, `AppendOplog: an entry of t${opTime.t} that nobody wrote`);
      // A copy of the data stands for all entries before the first that an initial sync fetches.
      const isCopied = me.copying && log === EMPTY_LOG;
      must(
        isCopied || entry.before === log,
        `AppendOplog: ${showEntry(entry)} follows ${showEntry(entry.before)}, not ${showEntry(log)}`,
      );
      log = entry;
    }
    if (log === me.log) return;
    const sources = this.#others(me);
    const now = sources.some((source) => holds(source.log, log));
    must(now || sources.some((source) => hasHeld(source, log)), `AppendOplog: nobody else has had ${showEntry(log)}`);
    // Who has written as primary has an entry that nobody's follows, so this can only be the catch-up.
    if (me.state === 'Leader') this.#count('outside: catchUp');
    else this.#count(now ? 'AppendOplog' : 'AppendOplog, delayed');
    me.log = log;
  }

  #rolledBack({ member, commonPoint, from }: Of<'rolledBack'>): void {
    const me = this.#member(member);
    const to = this.#entries.find(commonPoint);
    must(this.#entries.find(from) === me.log, 'RollbackOplog: its log does not end where it says');
    must(to !== undefined && holds(me.log, to), 'RollbackOplog: its log does not hold the common point');
    must(me.state === 'Follower', 'RollbackOplog: it leads');
    if (to === me.log) return;
    must(
      !holds(this.#committed, firstAfter(me.log, to)),
      `NeverRollbackCommitted: ${showEntry(firstAfter(me.log, to))} is committed`,
    );
    must(
      !isCommitPointLess(to, me.commitPoint) || !holds(me.log, me.commitPoint),
      `NeverRollbackBeforeCommitPoint: back to ${showEntry(to)}, and its commit point is ${showEntry(me.commitPoint)}`,
    );
    // One entry after the other goes, as long as the source's last term is later and it does not have that entry.
    const asks = (source: Entry): boolean => source.term > me.log.term && !holds(source, firstAfter(me.log, to));
    const sources = this.#others(me);
    const now = sources.some(({ log }) => asks(log));
    must(
      now || sources.some(({ formerLogs }) => formerLogs.some(asks)),
      `RollbackOplog: no log of a later term lacks ${showEntry(firstAfter(me.log, to))}`,
    );
    this.#count(now ? 'RollbackOplog' : 'RollbackOplog, delayed');
    cut(me, to);
  }

  #initialSync({ member, phase }: Of<'initialSync'>): void {
    const me = this.#member(member);
    if (phase === 'started' && me.log !== EMPTY_LOG) {
      this.#count('outside: initialSync');
      cut(me, EMPTY_LOG);
    }
    if (phase === 'started' || phase === 'done') me.copying = phase === 'started';
  }

  // --- commit points ---

  #advanced({ member, opTime }: Of<'commitPoint'>): void {
    const me = this.#member(member);
    if (isOfNoTerm(opTime)) return;
    const entry = this.#known(opTime, 'AdvanceCommitPoint');
    must(me.state === 'Leader', 'AdvanceCommitPoint: it does not lead');
    must(holds(me.log, entry), `AdvanceCommitPoint: ${showEntry(entry)} is not in its log`);
    must(
      entry.index > me.commitPoint.index,
      `AdvanceCommitPoint: ${showEntry(entry)} is not behind its commit point, ${showEntry(me.commitPoint)}`,
    );
    must(entry.term === me.currentTerm, `AdvanceCommitPoint: ${showEntry(entry)} is not of its own t${me.currentTerm}`);
    const config = configOf(me);
    const voters = dataBearingVotersOf(config).map((name) => this.#member(name));
    const holders = voters.filter(({ log }) => holds(log, entry));
    const acknowledgers = holders.filter(({ currentTerm }) => currentTerm <= me.currentTerm);
    const now = isMajority(
      acknowledgers.map(({ name }) => name),
      config,
    );
    const told = voters.filter((voter) => hasHeld(voter, entry)).map(({ name }) => name);
    must(
      now || isMajority(told, config),
      `AdvanceCommitPoint: ${told.join(', ')} have had ${showEntry(entry)}, which is no majority`,
    );
    must(
      holds(entry, this.#committed) || holds(this.#committed, entry),
      `AdvanceCommitPoint: ${showEntry(entry)} and ${showEntry(this.#committed)} are both committed`,
    );
    this.#count(now ? 'AdvanceCommitPoint' : 'AdvanceCommitPoint, delayed');
    if (entry.index > this.#committed.index) this.#committed = entry;
    learn(me, entry);
  }

  #learned({ member, opTime }: Of<'commitPoint'>): void {
    const me = this.#member(member);
    if (isOfNoTerm(opTime)) return;
    const entry = this.#known(opTime, 'LearnCommitPoint');
    must(
      isCommitPointLess(me.commitPoint, entry),
      `LearnCommitPoint: ${showEntry(entry)} is not later than ${showEntry(me.commitPoint)}`,
    );
    const kind = isArbiter(me) ? this.#learnedByArbiter(me, entry) : this.#howLearned(me, entry);
    must(
      kind !== undefined,
      `LearnCommitPoint: nobody could tell it ${showEntry(entry)}; its log is ${showEntry(me.log)}`,
    );
    must(holds(this.#committed, entry), `LearnCommitPoint: ${showEntry(entry)} is not committed`);
    this.#count(kind);
    learn(me, entry);
  }

  #learnedByArbiter(me: Member, entry: Entry): Kind | undefined {
    return this.#others(me).some((other) => other.formerCommitPoints.has(entry)) ? 'outside: arbiter' : undefined;
  }

  /** The trace does not tell from whom: it is enough that somebody could have told it. */
  #howLearned(me: Member, entry: Entry): Kind | undefined {
    const others = this.#others(me);
    const checked = me.log.term === entry.term;
    if (checked && others.some(({ commitPoint }) => commitPoint === entry)) return 'LearnCommitPointWithTermCheck';
    if (others.some((source) => holds(source.log, me.log) && fromSource(me, source.commitPoint) === entry))
      return 'LearnCommitPointFromSyncSource';
    if (checked && others.some(({ formerCommitPoints }) => formerCommitPoints.has(entry)))
      return 'LearnCommitPointWithTermCheck, delayed';
    const told = others.filter((source) => hasHeld(source, me.log));
    if (told.some((source) => [...source.formerCommitPoints].some((each) => fromSource(me, each) === entry)))
      return 'LearnCommitPointFromSyncSource, delayed';
    return undefined;
  }

  // --- what RaftMongo does not have ---

  #started({ member, mode, lastApplied, term }: Of<'processStarted'>): void {
    if (mode === 'standalone') return;
    const me = this.#member(member);
    const log = this.#entries.find(lastApplied);
    must(log !== undefined && holds(me.log, log), `its log came back with an end that it did not have`);
    if (log !== me.log) {
      this.#count(log === EMPTY_LOG ? 'outside: emptied' : 'outside: crash');
      cut(me, log);
    }
    if (term < me.currentTerm || me.commitPoint !== EMPTY_LOG) this.#count('outside: restart');
    me.currentTerm = term;
    me.commitPoint = EMPTY_LOG;
    me.copying = false;
    me.stands = false;
  }

  #stopped(me: Member): void {
    if (me.state === 'Leader') this.#steppedDown(me);
  }

  #configInstalled({ member, config }: Of<'configInstalled'>): void {
    const me = this.#member(member);
    if (me.config !== undefined && votersOf(me.config).join() !== votersOf(config).join())
      this.#count('outside: reconfig');
    me.config = config;
  }

  // --- helpers ---

  #member(name: string): Member {
    let member = this.#members.get(name);
    if (member === undefined) {
      member = newMember(name);
      this.#members.set(name, member);
    }
    return member;
  }

  #others(me: Member): Member[] {
    return [...this.#members.values()].filter((member) => member !== me);
  }

  #known(opTime: OpTime, action: string): Entry {
    const entry = this.#entries.find(opTime);
    must(entry !== undefined, `${action}: an entry of t${opTime.t} that nobody wrote`);
    return entry;
  }

  #count(kind: Kind): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
  }
}

/** What a member takes over from a sync source with this commit point: nothing beyond the end of its own log. */
function fromSource(me: Member, commitPoint: Entry): Entry {
  return commitPoint.term <= me.log.term ? commitPoint : me.log;
}

function firstAfter(log: Entry, entry: Entry): Entry {
  let first = log;
  while (first.before !== entry) first = first.before;
  return first;
}

function configOf({ config, name }: Member): NonNullable<Member['config']> {
  must(config !== undefined, `${name} has no config`);
  return config;
}

function must(holdsTrue: boolean, message: string): asserts holdsTrue {
  if (!holdsTrue) throw new NotRaftMongo(message);
}
