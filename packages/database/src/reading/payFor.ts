import { type Operation, type ScanWork, spend } from '@replsim/operations';
import { PlannerError } from '@replsim/pipeline';
import { databaseOf } from '@replsim/protocol';
import type { MemberServices } from '../member.ts';

type Looking = Pick<MemberServices, 'costs' | 'debug' | 'parameters'>;

/** Lets the time pass that looking took, and has the operation remember it. Errors: those of `noteWork`. */
export function* payFor(member: Looking, source: { takeWork(): ScanWork }): Operation<void> {
  const work = source.takeWork();
  noteWork(member, work);
  yield* spend(work.charged * member.costs.scanKeyMicros);
}

/** Has the operation remember what it has looked at. Errors: NoQueryExecutionPlans 291 under `notablescan`. */
export function noteWork({ debug, parameters }: Looking, work: ScanWork): void {
  if (parameters.bool('notablescan') && scansInVain(work)) {
    throw new PlannerError('NoQueryExecutionPlans', "No indexed plans available, and running with 'notablescan'");
  }
  debug.examined(work);
}

const INTERNAL: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/**
 * Whether a query read a whole collection of users, though not all of it was asked for.
 * Upstream: get_executor.cpp, fillOutPlannerParams, what is said of NO_TABLE_SCAN.
 */
function scansInVain({ plan, ns = '' }: ScanWork): boolean {
  if (plan?.stage !== 'COLLSCAN' || plan.residual.length === 0 || plan.insteadOfIndex) return false;
  return !ns.includes('.system.') && !INTERNAL.has(databaseOf(ns));
}
