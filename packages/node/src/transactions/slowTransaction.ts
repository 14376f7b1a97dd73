import { parametersOfTransaction, readTimestampOf, sessionDocument } from '@replsim/database';
import { METRICS, type Profiler, type Session } from '@replsim/operations';
import type { Core } from '../core/core.ts';

/** Who writes the line. */
interface SlowTransactionHost {
  readonly core: Core;
  readonly profiler: Profiler;
}

/** A transaction that lasted longer than `slowms` leaves a line. Upstream: transaction_participant.cpp, _logSlowTransaction. */
export function logSlowTransaction(
  { core, profiler }: SlowTransactionHost,
  session: Session,
  terminationCause: 'committed' | 'aborted',
): void {
  const { times, lsid } = session;
  const openMicros = times.openMicros(core.now);
  if (!profiler.isLogged(openMicros)) return;
  const activeMicros = Math.round(times.activeMicros(core.now));
  const { metrics, writeConflicts } = times;
  const counted = METRICS.flatMap((name) => (metrics[name] === undefined ? [] : [[name, metrics[name]] as const]));
  const { t, i } = readTimestampOf(session);
  core.log('I', 'TXN', 51802, 'transaction', {
    parameters: { lsid: sessionDocument(lsid.key), ...parametersOfTransaction(session) },
    readTimestamp: `Timestamp(${t}, ${i})`,
    ...Object.fromEntries(counted),
    writeConflicts,
    prepareReadConflicts: 0,
    terminationCause,
    timeActiveMicros: activeMicros,
    timeInactiveMicros: Math.round(openMicros) - activeMicros,
    numYields: 0,
    locks: {},
    wasPrepared: false,
    // Simplification: nobody queues for a ticket, and locks are not told of.
    ...(core.traits.slowByWorkingMillis && { queues: {} }),
    durationMillis: Math.floor(openMicros / 1000),
  });
}
