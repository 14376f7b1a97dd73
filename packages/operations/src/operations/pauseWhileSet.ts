import type { FailPointData, FailPoints } from '@replsim/pipeline';
import { CommandError, type FailPointName, type Now } from '@replsim/protocol';
import type { Operation } from './operation.ts';

/** How often a fail point that is set for a number of times is come by anew. Unit: µs. Upstream: kWaitGranularity. */
const GRANULARITY_MICROS = 100_000;

/** Whose fail points they are. */
interface PausingHost {
  readonly failPoints: FailPoints;
  readonly now: Now;
}

interface PauseOptions {
  /** Whether the data speak of this occasion. */
  readonly concerns?: (data: FailPointData) => boolean;
  /** What ends the operation is heard of only when the pause is over. */
  readonly uninterrupted?: boolean;
  /** What has befallen the operation otherwise, which ends it as an interruption does; the member is woken for it. */
  readonly killed?: () => CommandError | undefined;
}

/**
 * Stands still for as long as the fail point fires, each time it is asked; an interruption is thrown where it waits. One that
 * is set for good is waited for, not asked over and over. Upstream: fail_point.h, FailPoint::pauseWhileSet.
 */
export function* pauseWhileSet(
  host: PausingHost,
  name: FailPointName,
  { concerns, uninterrupted = false, killed = () => undefined }: PauseOptions = {},
): Operation<void> {
  const { failPoints } = host;
  let interruption: CommandError | undefined;
  while (failPoints.areConfigured && failPoints.enter(name, concerns)) {
    try {
      yield* failPoints.firesAlways(name)
        ? untilItChanges(failPoints, name, concerns, () => interruption === undefined && killed() !== undefined)
        : forAMoment(host.now.monotonicMicros);
      interruption ??= killed();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      interruption ??= error;
    }
    if (interruption && !uninterrupted) throw interruption;
  }
  if (interruption) throw interruption;
}

interface WaitOptions {
  /** Of which `nss` in the data may speak; absent where there is none. */
  readonly ns?: string;
  readonly concerns?: (data: FailPointData) => boolean;
  readonly killed?: PauseOptions['killed'];
}

/**
 * Stands still where an operation comes by a fail point that fires: `{ nss?, shouldCheckForInterrupt?, shouldContinueOnInterrupt? }`.
 * What ends the operation is heard of after the pause, unless one of the last two is true.
 * Upstream: curop_failpoint_helpers.cpp, waitWhileFailPointEnabled.
 */
export function* waitWhileSet(host: PausingHost, name: FailPointName, options: WaitOptions = {}): Operation<void> {
  const { failPoints } = host;
  if (!failPoints.areConfigured) return;
  const { ns, concerns = () => true, killed = () => undefined } = options;
  const data = failPoints.enter(name, (each) => (!each.nss || each.nss === ns) && concerns(each));
  if (!data) return;
  const isInterrupted = data.shouldCheckForInterrupt === true || data.shouldContinueOnInterrupt === true;
  yield* pauseWhileSet(host, name, { uninterrupted: !isInterrupted, killed });
}

/**
 * `failCollectionInserts: { collectionNS? }`. Throws FailPointEnabled 192 if it fires.
 * Upstream: collection_write_path.cpp, checkFailCollectionInsertsFailPoint.
 */
export function failIfInsertsAre({ failPoints }: PausingHost, ns: string): void {
  const concerns = ({ collectionNS }: FailPointData) => collectionNS === undefined || collectionNS === ns;
  if (!failPoints.areConfigured || !failPoints.enter('failCollectionInserts', concerns)) return;
  throw new CommandError('FailPointEnabled', `Failpoint (failCollectionInserts) is on, and nothing can go into ${ns}`);
}

/** `failAllInserts` and its like. Throws InternalError 1 if it fires. */
export function failIfSet({ failPoints }: PausingHost, name: FailPointName): void {
  if (!failPoints.areConfigured || !failPoints.enter(name)) return;
  throw new CommandError('InternalError', `${name} failpoint active!`);
}

function* untilItChanges(
  failPoints: FailPoints,
  name: FailPointName,
  concerns: PauseOptions['concerns'],
  isKilled: () => boolean,
): Operation<void> {
  yield { type: 'wait', what: 'failPoint', ready: () => isKilled() || !failPoints.firesAlways(name, concerns) };
}

function* forAMoment(nowMicros: number): Operation<void> {
  yield { type: 'wait', what: 'failPoint', ready: () => false, deadlineMicros: nowMicros + GRANULARITY_MICROS };
}
