import {
  compareOpTimes,
  NULL_OP_TIME,
  type OplogEntry,
  type OpTime,
  sameOpTime,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import * as ev from './support.ts';

/** A rule that the model forgets, so that a checker has something to find. */
export type Bug =
  | 'votesTwice'
  | 'forgetsVote'
  | 'votesForShorterLogs'
  | 'commitsOlderTerms'
  | 'learnsAnyCommitPoint'
  | 'forgetsCommitPoint'
  | 'leavesOutEntries'
  | 'appliesWrongly'
  | 'replaysTooMuch'
  | 'writesAfterStepDown'
  | 'beginsWithoutNoop'
  | 'acknowledgesEarly'
  | 'expiresOnSecondaries'
  | 'expiresEarly';

/** What happens next: `a` and `b` pick members, `n` whatever else is to be picked. */
export interface Action {
  readonly kind:
    | 'elect'
    | 'write'
    | 'expire'
    | 'fetch'
    | 'spread'
    | 'flush'
    | 'commit'
    | 'learn'
    | 'acknowledge'
    | 'crash'
    | 'resync';
  readonly a: number;
  readonly b: number;
  readonly n: number;
}

interface Member {
  readonly name: string;
  log: OplogEntry[];
  flushed: number;
  /** The greatest increment that was ever in its log, as far as this process knows. */
  seen: number;
  rbid: number;
  term: Term;
  vote: { term: Term; candidate: string };
  commitPoint: OpTime;
  primary: boolean;
  /** Applied something wrongly. */
  spoilt: number;
}

const endOf = (log: readonly OplogEntry[]): OpTime => log.at(-1)?.opTime ?? NULL_OP_TIME;
const includes = (log: readonly OplogEntry[], opTime: OpTime) => log.some((entry) => sameOpTime(entry.opTime, opTime));

/**
 * Replication at its barest, seen from above and independent of the program: every action is atomic, a member that is
 * not picked is out of reach. Whatever it is told to do, what it does is legal, but for its bug.
 */
export class ModelSet {
  readonly events: TraceEvent[] = [];
  readonly #bug: Bug | undefined;
  readonly #members: Member[];

  constructor(size: number, bug?: Bug) {
    this.#bug = bug;
    this.#members = Array.from({ length: size }, (_, i) => ({
      name: `n${i + 1}`,
      log: [],
      flushed: 0,
      seen: 0,
      rbid: 1,
      term: 0,
      vote: { term: 0, candidate: '' },
      commitPoint: NULL_OP_TIME,
      primary: false,
      spoilt: 0,
    }));
    for (const { name } of this.#members) this.events.push(ev.started(name, { hasReplSetConfig: false }));
    const [first, ...others] = this.#members;
    const initiating = ev.noop(ev.at(0, -1), 'initiating set');
    first!.log.push(initiating);
    this.events.push(ev.wroteClosed(first!.name, initiating), this.#applied(first!));
    const config = ev.configOf(1, 1, ...this.#members.map(({ name }) => name));
    for (const { name } of this.#members) this.events.push(ev.configInstalled(name, config));
    for (const member of others) this.#resync(first!, member);
    for (const member of this.#members) this.#flush(member);
  }

  act({ kind, a, b, n }: Action): void {
    const one = this.#members[a % this.#members.length]!;
    const other = this.#members[b % this.#members.length]!;
    switch (kind) {
      case 'elect':
        return this.#elect(one, n);
      case 'write':
        return this.#write(this.#primary(a), 1 + (n % 3), 'i');
      case 'expire':
        return this.#expire(this.#bug === 'expiresOnSecondaries' ? one : this.#primary(a));
      case 'fetch':
        return this.#fetch(one, other, 1 + (n % 4));
      case 'spread':
        for (const [i, member] of this.#members.entries()) {
          if (((n >> i) & 1) === 0) continue;
          for (let more = 0; more < 3; more++) this.#fetch(one, member, 4);
          this.#flush(member);
        }
        return;
      case 'flush':
        return this.#flush(one);
      case 'commit':
        return this.#commit(this.#primary(a), n);
      case 'learn':
        return this.#learn(one, other);
      case 'acknowledge':
        return this.#acknowledge(this.#primary(a), n);
      case 'crash':
        return this.#crash(one);
      case 'resync':
        return this.#resync(one, other);
    }
  }

  /** One of those that believe to be primary, or anybody. */
  #primary(n: number): Member {
    const primaries = this.#members.filter(({ primary }) => primary);
    const among = primaries.length > 0 ? primaries : this.#members;
    return among[n % among.length]!;
  }

  #elect(candidate: Member, mask: number): void {
    if (candidate.primary) return;
    const term = candidate.term + 1;
    this.#raise(candidate, term);
    candidate.vote = { term, candidate: candidate.name };
    this.events.push(ev.votePersisted(candidate.name, candidate.name, term));
    let votes = 1;
    for (const [i, voter] of this.#members.entries()) {
      if (voter === candidate || ((mask >> i) & 1) === 0) continue;
      this.#raise(voter, term);
      const fresh = voter.vote.term < term || this.#bug === 'votesTwice';
      const upToDate =
        compareOpTimes(endOf(candidate.log), endOf(voter.log)) >= 0 || this.#bug === 'votesForShorterLogs';
      const granted = voter.term === term && fresh && upToDate;
      if (granted) {
        voter.vote = { term, candidate: candidate.name };
        votes++;
        this.events.push(ev.votePersisted(voter.name, candidate.name, term));
      }
      this.events.push(ev.voted(voter.name, candidate.name, term, { granted, lastVoteTerm: voter.vote.term }));
    }
    if (2 * votes <= this.#members.length) return;
    candidate.primary = true;
    this.events.push(ev.won(candidate.name, term, endOf(candidate.log)));
    if (this.#bug !== 'beginsWithoutNoop') this.#append(candidate, ev.newPrimary(this.#nextOpTime(candidate)), false);
    this.events.push(ev.accepts(candidate.name, true, term));
  }

  #raise(member: Member, term: Term): void {
    if (term <= member.term) return;
    if (member.primary) {
      member.primary = this.#bug === 'writesAfterStepDown';
      this.events.push(ev.accepts(member.name, false, member.term), ev.steppedDown(member.name, member.term));
    }
    this.events.push(ev.termChanged(member.name, member.term, term));
    member.term = term;
  }

  #flush(member: Member): void {
    if (member.flushed === member.log.length) return;
    member.flushed = member.log.length;
    this.events.push(ev.flushed(member.name, endOf(member.log)));
  }

  #write(member: Member, count: number, op: 'i' | 'd'): void {
    if (!member.primary) return;
    for (let i = 0; i < count; i++) this.#append(member, ev.entry(this.#nextOpTime(member), op), true);
  }

  #nextOpTime({ term, seen }: Member): OpTime {
    // One second for all, so that branches hold equal timestamps of different terms.
    return ev.at(1, term, seen + 1);
  }

  #append(member: Member, entry: OplogEntry, accepts: boolean): void {
    member.log.push(entry);
    this.#saw(member);
    this.events.push(
      accepts ? ev.wrote(member.name, entry) : ev.wroteClosed(member.name, entry),
      this.#applied(member),
    );
  }

  #expire(member: Member): void {
    if (!member.primary && this.#bug !== 'expiresOnSecondaries') return;
    const acceptsWrites = member.primary;
    const dates = [ev.WALL_MS - (this.#bug === 'expiresEarly' ? 30_000 : 90_000)];
    const memberState = member.primary ? 'PRIMARY' : 'SECONDARY';
    this.events.push(ev.ttlDeleted(member.name, { dates, acceptsWrites }));
    this.events.push(ev.removed(member.name, { by: 'ttl', count: 1, memberState, acceptsWrites }));
    this.#write(member, 1, 'd');
  }

  /** `member` fetches some entries from `source`, after a rollback where it stands on a branch that lost. */
  #fetch(source: Member, member: Member, count: number): void {
    if (source === member || member.primary) return;
    this.#raise(member, source.term);
    if (compareOpTimes(endOf(source.log), endOf(member.log)) <= 0) return;
    if (!includes(source.log, endOf(member.log))) return this.#rollBack(source, member);
    const next = source.log.slice(member.log.length, member.log.length + count);
    if (this.#bug === 'leavesOutEntries' && next.length > 1) next.shift();
    member.log.push(...next);
    this.#saw(member);
    if (this.#bug === 'appliesWrongly') member.spoilt++;
    this.events.push(ev.fetched(member.name, ...next), this.#applied(member));
  }

  #rollBack(source: Member, member: Member): void {
    const from = endOf(member.log);
    const common = member.log.findLastIndex(({ opTime }) => includes(source.log, opTime)) + 1;
    // Five members and three terms get here legally (SERVER-39626), and a mongod dies of it.
    const isBehind = compareOpTimes(endOf(member.log.slice(0, common)), member.commitPoint) < 0;
    if (isBehind && this.#bug === undefined) return;
    const removedEntries = member.log.slice(common);
    member.log.length = common;
    member.flushed = Math.min(member.flushed, common);
    this.events.push(ev.rollbackStarted(member.name));
    member.rbid++;
    const { commitPoint, rbid } = member;
    const [dataHash, commonPoint] = [this.#hash(member), endOf(member.log)];
    this.events.push(
      ev.rolledBack(member.name, commonPoint, [], { from, removedEntries, commitPoint, rbid, dataHash }),
    );
  }

  /** A primary computes its commit point from the members in reach, which depose it if they know of a newer term. */
  #commit(primary: Member, mask: number): void {
    if (!primary.primary) return;
    const inReach = this.#members.filter((member, i) => member === primary || ((mask >> i) & 1) === 1);
    const newest = Math.max(...inReach.map(({ term }) => term));
    if (newest > primary.term) return this.#raise(primary, newest);
    for (const member of inReach) this.#raise(member, primary.term);
    const committed = primary.log.findLast(({ opTime }) => {
      if (opTime.t !== primary.term && this.#bug !== 'commitsOlderTerms') return false;
      return (
        2 * inReach.filter(({ log, flushed }) => includes(log.slice(0, flushed), opTime)).length > this.#members.length
      );
    })?.opTime;
    if (committed === undefined || compareOpTimes(committed, primary.commitPoint) <= 0) return;
    primary.commitPoint = committed;
    this.events.push(ev.committed(primary.name, committed));
  }

  #learn(source: Member, member: Member): void {
    if (source === member || member.primary) return;
    this.#raise(member, source.term);
    const [heard, end] = [source.commitPoint, endOf(member.log)];
    let learned = heard;
    if (this.#bug !== 'learnsAnyCommitPoint' && heard.t !== end.t) {
      // Of another term than my log's end: it may lie on another branch, unless my log is a part of the source's.
      if (!includes(source.log, end)) return;
      if (compareOpTimes(end, heard) < 0) learned = end;
    }
    if (this.#bug !== 'forgetsCommitPoint' && compareOpTimes(learned, member.commitPoint) <= 0) return;
    member.commitPoint = learned;
    this.events.push(ev.learned(member.name, learned, member.term));
  }

  #acknowledge(primary: Member, n: number): void {
    if (!primary.primary) return;
    const { log, commitPoint } = primary;
    const { opTime } = log[n % log.length]!;
    const isCommitted = compareOpTimes(commitPoint, NULL_OP_TIME) > 0 && compareOpTimes(opTime, commitPoint) <= 0;
    this.events.push(ev.acknowledged(primary.name, opTime, isCommitted || this.#bug === 'acknowledgesEarly'));
  }

  #crash(member: Member): void {
    const lost = this.#bug === 'replaysTooMuch' ? 0 : member.log.length - member.flushed;
    if (this.#bug === 'replaysTooMuch') member.log.push(ev.entry(this.#nextOpTime(member)));
    else member.log.length -= lost;
    member.flushed = member.log.length;
    member.seen = 0;
    this.#saw(member);
    if (this.#bug === 'forgetsVote') member.vote = { term: 0, candidate: '' };
    member.term = Math.max(member.vote.term, endOf(member.log).t, 0);
    member.primary = false;
    member.commitPoint = NULL_OP_TIME;
    const { name, term } = member;
    this.events.push(ev.stopped(name));
    this.events.push(ev.started(name, { term, lastApplied: endOf(member.log), dataHash: this.#hash(member) }));
  }

  /** Only from a source that has all of its log: who throws away what it had acknowledged may lose it for the set. */
  #resync(source: Member, member: Member): void {
    if (source === member || member.primary || source.log.length < member.log.length) return;
    if (member.log.length > 0 && !includes(source.log, endOf(member.log))) return;
    this.#raise(member, source.term);
    member.log = [...source.log];
    this.#saw(member);
    member.flushed = member.log.length;
    member.spoilt = source.spoilt;
    this.events.push(ev.initialSync(member.name, 'started'), ev.fetched(member.name, ...member.log.slice(-2)));
    this.events.push(ev.initialSync(member.name, 'done'), this.#applied(member));
  }

  #saw(member: Member): void {
    const { ts } = endOf(member.log);
    if (ts.t !== ev.EPOCH_SECS) member.seen = Math.max(member.seen, ts.i);
  }

  #applied(member: Member): TraceEvent {
    return { ...ev.applied(member.name, endOf(member.log)), dataHash: this.#hash(member) } as TraceEvent;
  }

  /** Any function of the log will do for data. */
  #hash({ log, spoilt }: Member): [number, number] {
    return [log.reduce((hash, { opTime }) => (Math.imul(hash, 31) + opTime.ts.i * 7 + opTime.t) | 0, 1) >>> 0, spoilt];
  }
}
