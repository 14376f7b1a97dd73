import {
  type Profiler,
  parametersOfTransaction,
  readTimestampOf,
  type Session,
  sessionDocument,
} from '@replsim/database';
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
  const { keysExamined, docsExamined } = times;
  core.log('I', 'TXN', 51802, 'transaction', {
    parameters: { lsid: sessionDocument(lsid.key), ...parametersOfTransaction(session) },
    readTimestamp: readTimestampOf(session),
    ...(keysExamined > 0 && { keysExamined }),
    ...(docsExamined > 0 && { docsExamined }),
    terminationCause,
    timeActiveMicros: activeMicros,
    timeInactiveMicros: Math.round(openMicros) - activeMicros,
    numYields: 0,
    locks: {},
    wasPrepared: false,
    durationMillis: Math.floor(openMicros / 1000),
  });
}
