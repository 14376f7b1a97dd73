import {
  compareOpTimes,
  type OplogEntry,
  type OpTime,
  type Term,
  type TraceEvent,
  TraceNames,
} from '@replsim/protocol';
import { votesOf } from './ballotText.ts';
import { whyBehind, whyNoData } from './behind.ts';
import { Branches } from './branches.ts';
import { type CollectionHistory, historyOf } from './collectionHistory.ts';
import { whoLacksConfig } from './configHeld.ts';
import { documentOf, inBuckets } from './documentOf.ts';
import { nobodyDeletes, whyGone, whyNotDue, whyNotExpired } from './expiry.ts';
import { Links } from './links.ts';
import { Logs } from './logs.ts';
import { Losses } from './losses/losses.ts';
import { MemberStory, nameOf } from './memberStory.ts';
import { whyNotPrimary } from './notPrimary.ts';
import { leader } from './office.ts';
import { notSent, type OperationRecords, operationOf } from './operationOf.ts';
import type { Records } from './records.ts';
import { aheadOf, type Situation, whoIsUnheard, whyNotRunning } from './situation.ts';
import { stateOf } from './stateOf.ts';
import { type CompileFilter, undueOf } from './undue.ts';
import { whoHasNotReported } from './unreported.ts';
import { refusal, seenPrimary, Votes } from './votes.ts';
import { Walls } from './walls.ts';
import { fateOfWorkload } from './workloadFate.ts';
import { WorkloadTurns } from './workloadTurns.ts';
import { Written } from './written.ts';

/**
 * Why something that was expected did not happen, from the trace alone. Show it every event in order, ask at any time;
 * each answer is a list of sentences, empty where nothing stands in the way that the trace knows of.
 */
export class Reasons {
  readonly #names = new TraceNames();
  readonly #members = new Map<string, MemberStory>();
  #situation: Situation & { nowMicros: number } = {
    walls: new Walls([]),
    links: new Links(),
    members: this.#members,
    nowMicros: 0,
    epochMs: 0,
    epochSecs: 0,
  };
  readonly #branches = new Branches();
  readonly #logs = new Logs(this.#branches);
  readonly #written = new Written();
  readonly #losses = new Losses(this.#branches);
  readonly #workloads = new WorkloadTurns();
  #version = '';
  readonly #votes = new Votes();
  readonly #survives = ({ opTime }: OplogEntry): boolean => this.#branches.survives(opTime);
  readonly #compile: CompileFilter | undefined;

  /** @param compile knows MQL, which this package does not: without it, partial indexes are spoken of with an "if" */
  constructor(compile?: CompileFilter) {
    this.#compile = compile;
  }

  /** So much time has gone by, whether or not anything happened in it. */
  passed(untilMicros: number): void {
    this.#situation.nowMicros = Math.max(this.#situation.nowMicros, untilMicros);
  }

  observe(given: TraceEvent): void {
    const event = this.#names.named(given);
    this.#situation.nowMicros = event.atMicros;
    if (event.type === 'runStarted') {
      const { epochMs, version } = event;
      this.#version = version;
      const walls = new Walls(event.members);
      this.#situation = { ...this.#situation, walls, epochMs, epochSecs: Math.floor(epochMs / 1000) };
      for (const name of event.members) this.#members.set(name, new MemberStory(name));
    }
    this.#situation.walls.observe(event);
    this.#situation.links.observe(event);
    this.#workloads.observe(event);
    if (!('member' in event)) return;
    this.#members.get(event.member)?.observe(event);
    if (event.type === 'voteAnswered') this.#answered(event);
    this.#branches.observe(event);
    this.#logs.observe(event);
    this.#written.observe(event);
    this.#losses.observe(event);
    this.#votes.observe(event, this.#situation);
    if (event.type === 'votesRequested') this.#askedFor(event.member);
    if (event.type === 'electionNotStarted') this.#refused(event.member);
  }

  /** Why a member, or nobody, is a primary that accepts writes; and who is. @param who a member's name; everybody by default */
  primary(who?: string): string[] {
    const asked = who === undefined ? [...this.#members.values()] : [this.#members.get(who)].filter((story) => !!story);
    const reasons = asked
      .map((story) => whyNotPrimary(story, this.#situation))
      .filter((reason) => reason !== undefined);
    const primary = this.#primary();
    if (primary) return [...reasons, `${primary.name} is primary, in term ${primary.term}`];
    const leading = who === undefined ? undefined : leader(this.#situation);
    return leading && leading.name !== who ? [...reasons, leading.text] : reasons;
  }

  /** Why a member is in the state that it is in, where that is not SECONDARY or PRIMARY. */
  state(who: string): string[] {
    const story = this.#members.get(who);
    if (!story) return [];
    return [whyNotRunning(story) ?? stateOf(story, this.#situation)];
  }

  /** What a member compared when it was asked for its vote last, or why it was not. */
  vote(who: string): string[] {
    return votesOf(who, this.#votes, this.#situation);
  }

  /** Why the data of a collection on some members are not what they were expected to be. */
  data(members: readonly string[], ns: string): string[] {
    const [only] = members;
    const alone = members.length === 1 && only !== undefined ? this.#members.get(only) : undefined;
    const none = alone && whyNoData(alone);
    if (none !== undefined) return [none];
    const lags = members.flatMap((name) => this.#lag(name));
    if (lags.length > 0 || ns === '') return lags;
    const standalone = members.map((name) => this.#members.get(name)).find((story) => story?.standalone);
    const primary = standalone ?? this.#primary();
    const situation = this.#situation;
    const expiry = primary ? whyNotExpired(primary, situation) : nobodyDeletes(situation);
    const history = this.#historyOf(ns);
    const gone = history.gone.map(whyGone);
    if (history.timeseries) return [inBuckets(ns)];
    if (history.indexes.length === 0) return gone;
    const aheadMs = primary ? aheadOf(primary, situation.epochMs) : 0;
    const undue = undueOf(history, situation.epochMs + situation.nowMicros / 1000 + aheadMs, this.#compile);
    const { forgot } = this.#written;
    const kept = undue.flatMap((each) => whyNotDue(each, situation, primary, forgot, undue.length === 1));
    return [...gone, ...kept, expiry];
  }

  /**
   * A document's life on a member, and why it is there or is not.
   * @param ids its \`_id\`, as it may have been meant: the first counts that any entry has
   * @param who a member's name; by default whoever leads
   */
  document(ns: string, ids: readonly unknown[], who?: string): string[] {
    const primary = this.#primary();
    const member = who === undefined ? primary : this.#members.get(who);
    if (!member) return ['there is no primary: ask about a member', ...this.#nobodyWrites()];
    if (member.standalone)
      return [
        `${member.name} runs as a standalone, so its writes are not in the oplog`,
        whyNotExpired(member, this.#situation),
      ];
    const none = whyNoData(member);
    if (none !== undefined) return [none];
    return documentOf(ns, ids, member, this.#written, this.#records);
  }

  /** What a member's TTL monitor is doing, and what keeps it from deleting. */
  monitor(who: string): string[] {
    const story = this.#members.get(who);
    if (!story) return [];
    return [whyNotRunning(story) ?? whyNotExpired(story, this.#situation)];
  }

  /** Why a write waits: who has not told the primary that it has the newest entry. */
  write(): readonly string[] {
    const primary = this.#primary();
    // One that was cut off may be writing, too.
    const newest = primary && this.#newestOf(primary.term);
    if (!primary || !newest) return this.#nobodyWrites();
    return [...whoHasNotReported(primary, newest, this.#situation), ...whoLacksConfig(primary, this.#situation)];
  }

  /**
   * What became of an operation of a workload, what it waits for, and which election lost it.
   * @param turn which of them, from 1
   */
  operation(workload: string, turn: number): string[] {
    const known = this.#workloads.workloads.get(workload);
    if (!known) return [`there is no workload ${workload} yet`];
    const operation = known.turns.get(turn);
    if (!operation) return notSent(known, turn, this.#primary() ? [] : this.#nobodyWrites());
    return operationOf(known, operation, this.#operationRecords);
  }

  /** What went wrong for a workload: which elections lost its writes, what failed, and what waits. */
  workload(name: string): string[] {
    const known = this.#workloads.workloads.get(name);
    return known ? fateOfWorkload(known, this.#operationRecords) : [];
  }

  /** Why nobody accepts writes: of one that leads, what it does first; else of everybody. */
  #nobodyWrites(): string[] {
    const leading = this.#primary() ? undefined : leader(this.#situation);
    return leading ? [leading.text] : this.primary();
  }

  get #operationRecords(): OperationRecords {
    const { batches } = this.#written;
    return { ...this.#records, batches, settings: this.#historyOf('config.settings') };
  }

  get #records(): Records {
    return {
      situation: this.#situation,
      branches: this.#branches,
      logs: this.#logs,
      losses: this.#losses,
      writerOf: (change) => this.#workloads.writerOf(change),
      primary: this.#primary(),
      version: this.#version,
      compile: this.#compile,
    };
  }

  /** Of a collection, on the branch that survives. */
  #historyOf(ns: string): CollectionHistory {
    const counting = { command: this.#survives, document: this.#survives, version: this.#version };
    return historyOf(this.#written.batches, ns, counting);
  }

  /** The one that leads: of the latest term, if another does not know yet that it has been deposed. */
  #primary(): MemberStory | undefined {
    const leading = [...this.#members.values()].filter((story) => story.accepts && !whyNotRunning(story));
    return leading.sort((a, b) => b.term - a.term)[0];
  }

  #lag(name: string): string[] {
    const story = this.#members.get(name);
    // Whoever leads has what counts, or will decide what does.
    if (!story || story.accepts || whyNoData(story) !== undefined) return [];
    const { applied } = story;
    let missing = 0;
    let older = false;
    let oldest: OpTime | undefined;
    for (const { opTime } of this.#written.newestFirst()) {
      if (!this.#branches.survives(opTime)) continue;
      older = applied !== undefined && compareOpTimes(opTime, applied) <= 0;
      if (older) break;
      missing++;
      oldest = opTime;
    }
    return missing === 0
      ? []
      : [whyBehind(story, { missing, oldest, orMore: !older && this.#written.forgot }, this.#situation)];
  }

  #newestOf(term: Term): OpTime | undefined {
    for (const { opTime } of this.#written.newestFirst()) if (opTime.t === term) return opTime;
    return undefined;
  }

  #answered({ candidate, member, term, dryRun, granted, reason }: Extract<TraceEvent, { type: 'voteAnswered' }>): void {
    const round = this.#members.get(nameOf(candidate))?.round;
    if (round?.term === term && round.dryRun === dryRun)
      round.answers.set(member, {
        granted,
        reason: refusal(reason, seenPrimary(member, this.#situation)),
        unheardSince: this.#situation.walls.cutSince(member, nameOf(candidate)),
      });
  }

  /** Who could not be asked is remembered with the round: it may be back when somebody asks why. */
  #askedFor(candidate: string): void {
    const round = this.#members.get(candidate)?.round;
    if (round) round.silent = this.#votes.silentOf(candidate);
  }

  /** The same of a candidacy that did not begin. */
  #refused(name: string): void {
    const { notStarted, config } = this.#members.get(name) ?? {};
    if (notStarted && config) notStarted.unheard = whoIsUnheard(name, config, this.#situation);
  }
}
