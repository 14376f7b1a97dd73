import { codeNameOf, ErrorCodes, invariant, type Now } from '@replsim/protocol';
import { targetsOf } from './batch.ts';
import { mayDelete, maySubPass, passGate } from './eligibility.ts';
import { ttlLog } from './logs.ts';
import { deregister, type TtlEntry } from './ttlCache.ts';
import { countPromoted, countUnexhausted } from './ttlPriority.ts';
import { fallAsleep } from './ttlSleep.ts';
import type {
  DeletedByIndex,
  Gone,
  InPass,
  SubPass,
  TtlCounters,
  TtlEffect,
  TtlState,
  VisitResult,
} from './ttlState.ts';

type PassState = TtlState & { readonly phase: InPass };
type Failure = Extract<VisitResult, { type: 'failed' }>;
type Interruption = Pick<Failure, 'code' | 'errmsg'>;

/** Begins a pass if this member may, and goes on to its first visit. Upstream: TTLMonitor::_doTTLPass. */
export function beginPass(state: TtlState, now: Now, effects: TtlEffect[]): TtlState {
  const gate = passGate(state.member.memberState, state.traits);
  if (gate === 'skip') return fallAsleep(state, now, effects);
  const phase: InPass = {
    type: 'inPass',
    startedWallMs: now.wallMs,
    subPasses: 0,
    deleted: 0,
    byIndex: [],
    subPass: newSubPass(state, now),
    unexhausted: new Map(),
    gone: undefined,
    visit: undefined,
  };
  const begun: PassState = { ...(state.traits.ttlPassCountedAtStart ? count(state, { passes: 1 }) : state), phase };
  return gate === 'count' ? endPass(begun, now, effects) : goOn(begun, now, effects);
}

/** The operation was interrupted before its pass began: nothing is counted, and the monitor sleeps on. */
export function giveUpPass(state: TtlState, failure: Interruption, now: Now, effects: TtlEffect[]): TtlState {
  logInterruption(state, failure, effects);
  return fallAsleep(state, now, effects);
}

/**
 * Takes in how the visit under way went, and goes on to the next. The state keeps the one that has ended until then: `goOn`
 * always puts another in its place, or ends the pass.
 */
export function endVisit(state: PassState, result: VisitResult, now: Now, effects: TtlEffect[]): TtlState {
  const { visit } = state.phase;
  invariant(visit, 'a pass waits for a visit');
  switch (result.type) {
    case 'done': {
      const index = visit.entry.indexName ?? '_id_';
      logDone(state, visit.entry, result, index, effects);
      return goOn(countVisit(state, visit.entry, { ...result, index }), now, effects);
    }
    case 'gone':
      return goOn(
        { ...state, phase: { ...state.phase, gone: { entry: visit.entry, before: state.phase.gone } } },
        now,
        effects,
      );
    case 'notReady':
      return goOn(state, now, effects);
    case 'skipped':
      effects.push({ type: 'log', line: ttlLog(result.logId, result.attr) });
      // Line A has no such metric, and `ttlMetrics` does not show it there.
      return goOn(count(state, { invalidTTLIndexSkips: 1 }), now, effects);
    case 'failed':
      if (result.interrupted && state.traits.ttlInterruptionEndsPass) return interruptPass(state, result, now, effects);
      // A drop under a yielded delete is no news: the next visit finds it and cleans up.
      if (result.code !== ErrorCodes.QueryPlanKilled) logFailure(state, visit.entry, result, effects);
      return goOn(state, now, effects);
  }
}

/**
 * Visit after visit, round after round, sub-pass after sub-pass: goes on until a visit is under way or the pass is over.
 * It ends, as only the answer to a visit can ask for another round.
 * Upstream: TTLMonitor::_doTTLSubPass, TTLMonitor::_doTTLPass.
 */
function goOn(state: PassState, now: Now, effects: TtlEffect[]): TtlState {
  const { member, parameters } = state;
  const { next, startedMicros, work } = state.phase.subPass;
  let { position } = state.phase.subPass;
  let entry = work[position];
  // An index that may not be deleted from has nothing more, silently.
  while (entry !== undefined && !mayDelete(member, entry)) entry = work[++position];
  if (entry !== undefined) return beginVisit(state, { entry, position }, now, effects);
  const wholeSecs = Math.floor((now.monotonicMicros - startedMicros) / 1_000_000);
  if (next.length > 0 && wholeSecs < parameters.ttlMonitorSubPassTargetSecs)
    return goOn(inSubPass(state, { startedMicros, work: next, position: 0, next: [] }), now, effects);
  const counted = countSubPass(state);
  if (next.length === 0 || !maySubPass(member.memberState)) return endPass(counted, now, effects);
  return goOn(beginNextSubPass(counted, next, now), now, effects);
}

function beginNextSubPass(state: PassState, left: readonly TtlEntry[], now: Now): PassState {
  const { cache, parameters, phase, traits } = state;
  if (!traits.ttlPriorityMetric) return inSubPass(state, newSubPass(state, now));
  const unexhausted = countUnexhausted(phase.unexhausted, left);
  const promoted = countPromoted(unexhausted, cache, parameters.ttlCollLowPrioritySubpassLimit);
  const counted = count(state, { collSubpassesIncreasedPriority: promoted });
  return { ...counted, phase: { ...phase, unexhausted, subPass: newSubPass(state, now) } };
}

function newSubPass({ cache }: TtlState, now: Now): SubPass {
  return { startedMicros: now.monotonicMicros, work: [...cache.values()].flat(), position: 0, next: [] };
}

function inSubPass(state: PassState, subPass: SubPass): PassState {
  return { ...state, phase: { ...state.phase, subPass } };
}

function beginVisit(
  state: PassState,
  { entry, position }: { readonly entry: TtlEntry; readonly position: number },
  now: Now,
  effects: TtlEffect[],
): TtlState {
  const { phase, traits } = state;
  const id = state.nextVisit;
  effects.push({
    type: 'visit',
    visit: id,
    collectionUuid: entry.collectionUuid,
    indexName: entry.indexName,
    // Line A reads the clock at each visit, so that a long pass moves its limit ahead.
    wallMs: traits.ttlLimitPerPass ? phase.startedWallMs : now.wallMs,
    targets: targetsOf(state.parameters, traits),
  });
  const subPass = { ...phase.subPass, position: position + 1 };
  const visit = { id, entry };
  return { ...state, nextVisit: id + 1, phase: { ...phase, subPass, visit } };
}

function countVisit(
  state: PassState,
  entry: TtlEntry,
  { ns, index, deleted, passTargetMet }: DeletedByIndex & { passTargetMet: boolean },
): PassState {
  // Most visits of most passes.
  if (deleted === 0 && !passTargetMet) return state;
  const { phase } = state;
  const { subPass } = phase;
  const next = passTargetMet ? [...subPass.next, entry] : subPass.next;
  const byIndex = deleted > 0 ? added(phase.byIndex, { ns, index, deleted }) : phase.byIndex;
  return {
    ...count(state, { deletedDocuments: deleted }),
    phase: { ...phase, deleted: phase.deleted + deleted, byIndex, subPass: { ...subPass, next } },
  };
}

function added(byIndex: readonly DeletedByIndex[], more: DeletedByIndex): readonly DeletedByIndex[] {
  const known = byIndex.find(({ ns, index }) => ns === more.ns && index === more.index);
  if (known === undefined) return [...byIndex, more];
  return byIndex.map((each) => (each === known ? { ...more, deleted: known.deleted + more.deleted } : each));
}

function logDone(
  { traits }: TtlState,
  entry: TtlEntry,
  { ns, deleted, extendedRange = false, tookMicros }: Extract<VisitResult, { type: 'done' }>,
  index: string,
  effects: TtlEffect[],
): void {
  if (!traits.ttlLogsSlowOnly) {
    effects.push({ type: 'log', line: ttlLog(22536, { numDeleted: deleted }) });
    return;
  }
  const durationMillis = Math.floor(tookMicros / 1000);
  const line =
    entry.indexName === undefined
      ? ttlLog(5400702, {
          namespace: ns,
          numDeleted: deleted,
          durationMillis,
          ...(traits.ttlExtendedRange && { extendedRange }),
        })
      : ttlLog(5479200, { namespace: ns, index, numDeleted: deleted, durationMillis });
  effects.push({ type: 'slowLog', tookMicros, line });
}

/** Up to 4.4 a failure is reported for the index; later for the collection, which may expire by itself. */
function logFailure({ traits }: TtlState, { indexName }: TtlEntry, failure: Failure, effects: TtlEffect[]): void {
  const error = errorOf(failure);
  const line = traits.ttlLogsSlowOnly
    ? ttlLog(5400703, { namespace: failure.ns, error })
    : ttlLog(22538, { namespace: failure.ns, index: indexName, error });
  effects.push({ type: 'log', line });
}

/** Both counters move when their scope is left, however that happens. */
function interruptPass(state: PassState, failure: Failure, now: Now, effects: TtlEffect[]): TtlState {
  logInterruption(state, failure, effects);
  return endPass(countSubPass(state), now, effects, `${codeNameOf(failure.code)}: ${failure.errmsg}`);
}

function logInterruption({ parameters }: TtlState, failure: Interruption, effects: TtlEffect[]): void {
  const waitMillis = parameters.ttlMonitorSleepSecs * 1000;
  effects.push({ type: 'log', line: ttlLog(22537, { interruption: errorOf(failure), waitMillis }) });
}

function endPass(state: PassState, now: Now, effects: TtlEffect[], error?: string): TtlState {
  const { byIndex, deleted, subPasses } = state.phase;
  const { acceptsWrites, memberState } = state.member;
  const ended = { type: 'ttlPassEnded', deleted, byIndex, subPasses, memberState, acceptsWrites } as const;
  effects.push(error === undefined ? ended : { ...ended, error });
  return fallAsleep(state.traits.ttlPassCountedAtStart ? state : count(state, { passes: 1 }), now, effects);
}

/** The cache forgets what visits have found gone: at the end of a sub-pass, and before anything is registered. */
export function forgetGone(state: PassState): PassState {
  const { cache, phase } = state;
  if (phase.gone === undefined) return state;
  return { ...state, cache: deregister(cache, entriesOf(phase.gone)), phase: { ...phase, gone: undefined } };
}

function* entriesOf(gone: Gone): Generator<TtlEntry> {
  for (let each: Gone | undefined = gone; each !== undefined; each = each.before) yield each.entry;
}

function countSubPass(passed: PassState): PassState {
  const state = forgetGone(passed);
  const { phase } = state;
  return { ...count(state, { subPasses: 1 }), phase: { ...phase, subPasses: phase.subPasses + 1 } };
}

function count<S extends TtlState>(state: S, more: Partial<TtlCounters>): S {
  const { metrics } = state;
  return {
    ...state,
    metrics: {
      passes: metrics.passes + (more.passes ?? 0),
      subPasses: metrics.subPasses + (more.subPasses ?? 0),
      deletedDocuments: metrics.deletedDocuments + (more.deletedDocuments ?? 0),
      invalidTTLIndexSkips: metrics.invalidTTLIndexSkips + (more.invalidTTLIndexSkips ?? 0),
      collSubpassesIncreasedPriority:
        metrics.collSubpassesIncreasedPriority + (more.collSubpassesIncreasedPriority ?? 0),
    },
  };
}

function errorOf({ code, errmsg }: Interruption): { code: number; codeName: string; errmsg: string } {
  return { code, codeName: codeNameOf(code), errmsg };
}
