import { formatInstant, formatInstantExactly } from '@replsim/kernel';
import { CommandError, required, type TraceEvent, TraceNames } from '@replsim/protocol';
import { icuVersion } from '@replsim/query';
import { type ReplicaSetApi, type ReplSetOptions, TimeIsUp } from '@replsim/replset';
import { Checks } from './checks/checks.ts';
import { type ChallengeResult, judgeGoals } from './judgeGoals.ts';
import { Lateness } from './lateness/lateness.ts';
import { reportTtl, type TtlIndexReport } from './lateness/ttlReport.ts';
import { LateReasons } from './lateReasons.ts';
import { reasonsOf } from './reasonsOf.ts';
import { Outside } from './recording/outside.ts';
import type { Meanwhile, Scenario, Step } from './scenario.ts';
import { Fillings, firstConfigOf } from './stage/fillings.ts';
import type { LateFailure } from './stage/lateFailure.ts';
import { Members } from './stage/members.ts';
import { StepClient } from './stage/stepClient.ts';
import { StepFailure, stepFailureOf } from './stage/stepFailure.ts';
import { allSteps, partsOf } from './steps/allSteps.ts';
import { performStep } from './steps/performStep.ts';
import { Questions } from './steps/questions.ts';
import { Reached, type Sometimes } from './steps/reached.ts';
import type { Stage } from './steps/stage.ts';
import { Streams } from './streams/streams.ts';
import { Recent } from './transcript/recent.ts';
import type { LedgerReport } from './workload/ledger.ts';
import { Ledgers } from './workload/ledgers.ts';
import { Workloads } from './workload/workloads.ts';

/** Creates the set that a scenario runs against: `ReplSet.create`, or a replacement in a test. */
export type CreateSet = (options: ReplSetOptions) => Promise<ReplicaSetApi>;

/** Checks each trace event as it happens. Returns the invariant that the event breaks, if any. */
export type Observer = (event: TraceEvent) => BrokenInvariant | undefined;

/** An invariant that a run broke. */
export interface BrokenInvariant {
  /** Name of the checker that found it. */
  readonly name: string;
  /** What exactly is broken, as a sentence with the values involved. */
  readonly detail: string;
}

/** Options of `playScenario`. */
export interface PlayOptions {
  /** Seed of the run. Default: the scenario's. */
  readonly seed?: number;
  /** Called with each trace event, in order. */
  readonly onTrace?: (event: TraceEvent) => void;
  /** Observers of the run, usually the invariants. */
  readonly observers?: readonly Observer[];
  /** Awaited at short intervals with the virtual time that has passed, in µs, so that it can slow the run down. */
  readonly pace?: (nowMicros: number) => Promise<void>;
  /** Keep the data in this folder on a real disk. Default: the data is kept in memory only. */
  readonly dbpath?: string;
  /** Measure how late TTL deletes documents. Default: only if one of the scenario's checks needs it. */
  readonly ttlReport?: boolean;
  /** Continue behind a check that failed, for a comparison that needs what comes after it. Any other failure still ends the run. */
  readonly playsOn?: boolean;
}

/** The step at which a run failed, and why. */
export interface PlayFailure {
  /** Number of the step, from 1; 0 for a failure before the first step. */
  readonly index: number;
  /** Line of the step in the scenario's file. */
  readonly line: number;
  /** The step as one line of text. */
  readonly text: string;
  /** What the step expected. */
  readonly asked: string;
  /** What happened instead. */
  readonly got: string;
  /** What prevented it, in sentences, as far as the trace shows. */
  readonly reasons: readonly string[];
  /** The last lines of the transcript before the failure. */
  readonly lastEvents: readonly string[];
  /** The failure in one line. */
  readonly title: string;
  /** The rest, in a few lines. */
  readonly detail: string;
}

/** The outcome of a run. */
export interface PlayResult {
  /** Whether every step passed and no invariant broke. */
  readonly ok: boolean;
  /** How many steps were run. */
  readonly steps: number;
  /** The first step that failed, if one did. */
  readonly failure?: PlayFailure;
  /** All failures in order; only a run that plays on has more than one. */
  readonly failures: readonly PlayFailure[];
  /** Whether the run reached its last step, whatever checks failed on the way. */
  readonly isWhole: boolean;
  /** The invariants that the run broke. */
  readonly brokenInvariants: readonly BrokenInvariant[];
  /** For each workload, what its clients were told and what became of their writes. */
  readonly workloads: readonly LedgerReport[];
  /** For each `sometimes` of the scenario, in its order, how often it was asked and held; absent if there is none. */
  readonly sometimes?: readonly Sometimes[];
  /** What became of the task that the scenario sets; absent if it sets none, or if the run did not reach its end. */
  readonly challenge?: ChallengeResult;
  /** For each TTL index, how late documents were deleted; absent if it was not measured. */
  readonly ttl?: readonly TtlIndexReport[];
  /** How much virtual time the run took, in µs. */
  readonly virtualMicros: number;
  /** Seed of the run. */
  readonly seed: number;
}

/** How much virtual time passes between two checks of the wall clock. */
const PACED_SLICE_MICROS = 20_000;
/** A run that breaks something at every event must not grow without bound. */
export const MAX_BROKEN = 20;

/**
 * Plays a scenario to its end, or to the first step that fails or breaks an invariant. A failure is returned, not thrown; the
 * promise rejects only because of a bug in replsim.
 */
export async function playScenario(
  scenario: Scenario,
  create: CreateSet,
  options: PlayOptions = {},
): Promise<PlayResult> {
  const seed = options.seed ?? scenario.seed;
  let set: ReplicaSetApi;
  try {
    set = await create(setOptionsOf(scenario, options));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const failure = describe(undefined, new StepFailure('a set that starts', error.message), [], []);
    const nothing = { steps: 0, isWhole: false, brokenInvariants: [], workloads: [], virtualMicros: 0 };
    return { ok: false, failure, failures: [failure], ...nothing, seed };
  }
  try {
    return await new Player(scenario, set, options).play();
  } finally {
    await set.close();
  }
}

/** They may say the word, and order nothing. */
const NO_COMMANDS: readonly string[] = ['note', 'act', 'outside'];

/**
 * Plays a scenario up to an instant, and hands over the set as it stands then, after all that happens up to it; at the end of the run,
 * if that comes before. No event of the run moves by it, and whoever gets the set closes it.
 * @throws CommandError if the set does not start, and what only a bug of ours can throw
 */
export async function playTo(
  scenario: Scenario,
  create: CreateSet,
  atMicros: number,
  options: PlayOptions = {},
): Promise<ReplicaSetApi> {
  const set = await create({ ...setOptionsOf(scenario, options), endMicros: atMicros });
  try {
    await new Player(scenario, set, options).play();
  } catch (error) {
    if (error instanceof TimeIsUp) return set;
    await set.close();
    throw error;
  }
  return set;
}

function setOptionsOf(scenario: Scenario, { seed = scenario.seed, dbpath }: PlayOptions): ReplSetOptions {
  return {
    ...scenario.options,
    seed,
    ...(dbpath !== undefined && { dbpath }),
    ...(usesTablesOfIcu(scenario) && { icu: icuVersion() }),
  };
}

/**
 * Whether strings may be ordered, letters told apart for a text search, or dates be of a time zone, by the tables of the runtime's
 * ICU, so that the trace has to say which that is. What was recorded leaves the trace that the served set left, which could not know at its first
 * line what clients would ask.
 */
function usesTablesOfIcu({ steps }: Scenario): boolean {
  return allSteps(steps).some(
    ({ action: { kind }, text }) => !NO_COMMANDS.includes(kind) && /\bcollation\b|\$text\b|\btimezone\b/.test(text),
  );
}

/** Something that is waited for. */
interface Awaited {
  readonly done: () => boolean;
  readonly limitMicros: number;
  held: boolean;
}

/** One run of one scenario. */
class Player {
  readonly #scenario: Scenario;
  readonly #set: ReplicaSetApi;
  readonly #options: PlayOptions;
  readonly #recent = new Recent();
  readonly #reasons = new LateReasons();
  readonly #broken: BrokenInvariant[] = [];
  readonly #ledgers = new Ledgers();
  readonly #names = new TraceNames();
  /** Ledgers cost time with every entry, and most scenarios have none. */
  readonly #hasWorkloads: boolean;
  readonly #lateness = new Lateness();
  /** Lateness costs time and memory with every document that is deleted. */
  readonly #measuresLateness: boolean;
  /** What is still to happen by itself. */
  readonly #meanwhile: Meanwhile[];
  /** What is waited for, the innermost last: what happens meanwhile may wait as well. */
  readonly #awaited: Awaited[] = [];
  readonly #sometimes: Reached;
  #stage: Stage | undefined;

  constructor(scenario: Scenario, set: ReplicaSetApi, options: PlayOptions) {
    this.#scenario = scenario;
    this.#set = set;
    this.#options = options;
    this.#meanwhile = [...scenario.meanwhile];
    const steps = allSteps(scenario.steps);
    this.#sometimes = new Reached(steps);
    this.#hasWorkloads = steps.some(({ action }) => action.kind === 'workload');
    this.#measuresLateness =
      options.ttlReport === true || steps.some(({ action }) => partsOf(action).some(({ kind }) => kind === 'ttl'));
  }

  async play(): Promise<PlayResult> {
    const set = this.#set;
    set.onTrace((event) => this.#observe(event));
    const fillings = new Fillings(set, firstConfigOf(set, this.#scenario.options));
    const members = new Members(set);
    const runUntil = (done: () => boolean, limitMicros: number) => this.#runUntil(done, limitMicros);
    const advanceTo = (untilMicros: number) => this.#advanceTo(untilMicros);
    const client = new StepClient(set, members, fillings, runUntil);
    const streams = new Streams(set, members, fillings, errorsAwaited(this.#scenario));
    const { replies } = client;
    const [ledgers, lateness] = [this.#ledgers, this.#lateness];
    const checksWith = (fillings: Fillings) =>
      new Checks({ set, members, fillings, replies, ledgers, lateness, streams });
    const checks = checksWith(fillings);
    const questions = new Questions(set);
    const workloads = new Workloads(set, fillings, runUntil);
    const outside = new Outside(set);
    const broken = () => this.#brokenNow();
    const sometimes: Stage['sometimes'] = (step, held) => this.#sometimes.asked(step, held);
    const stage: Stage = {
      ...{ set, members, fillings, client, workloads, streams, outside, checks, checksWith },
      ...{ questions, runUntil, advanceTo, broken, sometimes },
      perform: (step: Step) => performStep(step, stage),
    };
    this.#stage = stage;
    if (this.#scenario.hidesStart) set.record({ type: 'hidden', what: 'start' });
    const { steps, failures, isWhole } = await this.#playSteps(stage, questions);
    const [failure] = failures;
    const challenge =
      failure || !isWhole
        ? undefined
        : judgeGoals(this.#scenario.challenge, { set, checks, members, reasons: () => this.#reasons.now });
    workloads.close(this.#ledgers);
    this.#sayVerdict(failure);
    const brokenInvariants = this.#broken;
    const reports = this.#ledgers.reports(set.nowMicros);
    const ttl = this.#measuresLateness ? { ttl: reportTtl(this.#lateness, set, members) } : {};
    const ok = failure === undefined;
    return {
      ok,
      steps,
      ...(failure && { failure }),
      failures,
      isWhole,
      brokenInvariants,
      workloads: reports,
      ...(this.#sometimes.all.length > 0 && { sometimes: this.#sometimes.all }),
      ...(challenge && { challenge }),
      ...ttl,
      virtualMicros: set.nowMicros,
      seed: set.seed,
    };
  }

  /** Does one step after the other, to the last or to the first that fails for good. */
  async #playSteps(stage: Stage, questions: Questions): Promise<Pick<PlayResult, 'steps' | 'failures' | 'isWhole'>> {
    const { checks, client, members, streams } = stage;
    const failures: PlayFailure[] = [];
    let steps = 0;
    for (const step of this.#scenario.steps) {
      const failure = await this.#attempt(
        step,
        () => performStep(step, stage),
        (failed) => this.#whyNot(step, failed, checks, members),
      );
      const asked = this.#late(questions.failed);
      const late = asked ?? (failure ? undefined : this.#late(streams.unexpected(false)));
      if (asked ?? failure ?? late) failures.push((asked ?? failure ?? late) as PlayFailure);
      else steps++;
      if (late || (failure && !this.#goesOnBehind(step))) return { steps, failures, isWhole: false };
    }
    questions.close();
    const late = this.#late(questions.failed ?? streams.unexpected(true) ?? client.leftOpen() ?? this.#missed());
    if (late) failures.push(late);
    return { steps, failures, isWhole: true };
  }

  #goesOnBehind({ action }: Step): boolean {
    return this.#options.playsOn === true && action.check !== undefined && this.#broken.length === 0;
  }

  /** Of a recording there is none: what was recorded leaves the trace that the served set left. */
  #sayVerdict(failure: PlayFailure | undefined): void {
    if (!failure && this.#scenario.steps.every(({ action }) => action.kind === 'outside')) return;
    this.#set.record({ type: 'runEnded', held: failure === undefined, ...(failure && { failure: failure.title }) });
  }

  /** Does a step; a failure of the scenario comes back, a bug of ours is thrown. */
  async #attempt(
    step: Step,
    perform: () => Promise<void>,
    whyNot: (failed: StepFailure) => readonly string[],
  ): Promise<PlayFailure | undefined> {
    let failure: StepFailure | undefined;
    try {
      await perform();
    } catch (error) {
      failure = stepFailureOf(error);
      if (!failure) throw error;
    }
    const broken = this.#brokenNow();
    if (broken) {
      broken.inner = failure?.inner;
      return describe(step, broken, [], this.#recent.lines());
    }
    return failure && describe(step, failure, whyNot(failure), this.#recent.lines());
  }

  /** What fails by itself, while other steps are done or after them. */
  #late(failed: LateFailure | undefined): PlayFailure | undefined {
    return failed && describe(failed.step, failed.failure, [], this.#recent.lines());
  }

  #brokenNow(): StepFailure | undefined {
    const [broken] = this.#broken;
    return broken && new StepFailure(`invariant ${broken.name}`, broken.detail);
  }

  #whyNot(
    { action }: Step,
    { about: { wanted }, inner }: StepFailure,
    checks: Checks,
    members: Members,
  ): readonly string[] {
    if (wanted === 'writeConcern') return this.#reasons.now.write();
    if (wanted === 'primary') return this.#reasons.now.primary();
    const part = (inner?.isCheck ?? 'check' in action) ? checks.refused : undefined;
    return part ? reasonsOf(part, this.#reasons.now, members) : [];
  }

  #observe(event: TraceEvent): void {
    this.#reasons.observe(event);
    this.#recent.add(event);
    if (this.#hasWorkloads) this.#ledgers.observe(this.#names.named(event));
    if (this.#measuresLateness) this.#lateness.observe(event);
    this.#options.onTrace?.(event);
    for (const observe of this.#options.observers ?? []) {
      const broken = observe(event);
      if (!broken || this.#broken.length >= MAX_BROKEN) continue;
      const { name, detail } = broken;
      this.#broken.push({ name, detail });
      // It comes back as an event of its own, right behind the one that shows it.
      this.#set.record({ type: 'invariantBroken', name, detail });
    }
  }

  async #advanceTo(untilMicros: number): Promise<void> {
    for (;;) {
      const next = this.#nextMeanwhile(untilMicros);
      // What happens meanwhile may take time, as a shutdown does.
      await this.#pass(Math.max(next?.atMicros ?? untilMicros, this.#set.nowMicros));
      if (!next) return;
      await this.#happen(next);
    }
  }

  async #runUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    const awaited: Awaited = { done, limitMicros, held: false };
    this.#awaited.push(awaited);
    try {
      for (;;) {
        const next = this.#nextMeanwhile(limitMicros);
        const until = Math.max(next?.atMicros ?? limitMicros, this.#set.nowMicros);
        if (awaited.held || (await this.#passUntil(() => this.#hasCome(awaited), until))) return true;
        if (!next) return false;
        await this.#happen(next);
      }
    } finally {
      this.#awaited.pop();
    }
  }

  /** What others wait for may hold now, and no longer when it is their turn. */
  #hasCome(awaited: Awaited): boolean {
    for (const each of this.#awaited)
      if (!each.held && this.#set.nowMicros <= each.limitMicros) each.held = each.done();
    return awaited.held;
  }

  /** What was to happen meanwhile, and the steps were over before. */
  #missed(): LateFailure | undefined {
    const missed = this.#meanwhile.find(({ optional }) => !optional);
    if (!missed) return undefined;
    const { step, atMicros, where } = missed;
    const failure = new StepFailure(
      `steps that last until ${formatInstant(atMicros)}`,
      `they are over at ${formatInstant(this.#set.nowMicros)}`,
      { advice: `"- advance: { to: ${formatInstantExactly(atMicros)} }" as a step, or an earlier instant` },
    );
    failure.inner = { ...step, isCheck: false, where };
    return { step, failure };
  }

  #nextMeanwhile(untilMicros: number): Meanwhile | undefined {
    const [next] = this.#meanwhile;
    return next && next.atMicros <= untilMicros ? next : undefined;
  }

  /** Does what is due while another step is under way; that step fails if it cannot be done, unless it was optional. */
  async #happen({ step, where, optional }: Meanwhile): Promise<void> {
    this.#meanwhile.shift();
    try {
      await performStep(step, required(this.#stage, 'stage of a run that is under way'));
    } catch (error) {
      const failure = stepFailureOf(error);
      if (!failure) throw error;
      if (optional && this.#broken.length === 0) return;
      failure.inner ??= { ...step, isCheck: false, where };
      throw failure;
    }
  }

  async #pass(untilMicros: number): Promise<void> {
    const { pace } = this.#options;
    if (!pace) return this.#set.advanceTo(untilMicros);
    // Even if it is that late already: what is due happens.
    do {
      await this.#set.advanceTo(Math.min(untilMicros, this.#set.nowMicros + PACED_SLICE_MICROS));
      await pace(this.#set.nowMicros);
    } while (this.#set.nowMicros < untilMicros);
  }

  async #passUntil(done: () => boolean, limitMicros: number): Promise<boolean> {
    const { pace } = this.#options;
    if (!pace) return this.#set.runUntil(done, limitMicros);
    for (;;) {
      const until = Math.min(limitMicros, this.#set.nowMicros + PACED_SLICE_MICROS);
      const held = await this.#set.runUntil(done, until);
      await pace(this.#set.nowMicros);
      if (held || until === limitMicros) return held;
    }
  }
}

/** The streams of which some check says that they end with an error. */
function errorsAwaited({ steps }: Scenario): ReadonlySet<string> {
  const parts = allSteps(steps).flatMap(({ action }) => partsOf(action));
  return new Set(parts.flatMap((part) => part.endOf ?? []));
}

function describe(
  step: Step | undefined,
  { asked, got, about, inner }: StepFailure,
  reasons: readonly string[],
  lastEvents: readonly string[],
): PlayFailure {
  const { index = 0, line = 1, text = 'the set starts' } = inner ?? step ?? {};
  const turn = inner ? ` ${inner.where}` : '';
  const where = index > 0 ? `step ${index}${turn}` : (inner?.where ?? 'before the first step');
  const title = step ? `${where}, line ${line}: ${text}` : where;
  const why = reasons.length > 0 ? ['why:', ...reasons.map((each) => `  ${each}`)] : [];
  const before = lastEvents.length > 0 ? ['before that:', ...lastEvents.map((each) => `  ${each}`)] : [];
  const advice = about.advice === undefined ? [] : [`try:   ${about.advice}`];
  const detail = [`asked: ${asked}`, `got:   ${got}`, ...advice, ...why, ...before].join('\n');
  return { index, line, text, asked, got, reasons, lastEvents, title, detail };
}
