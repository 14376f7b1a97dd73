import type { MemberServices } from '../member.ts';
import { type Operation, spend } from '../operations/operation.ts';
import type { ScanWork } from '../operations/scanWork.ts';

/** Lets the time pass that looking took, and has the operation remember it. */
export function* payFor(
  member: Pick<MemberServices, 'costs' | 'debug'>,
  source: { takeWork(): ScanWork },
): Operation<void> {
  const work = source.takeWork();
  member.debug.examined(work);
  yield* spend(work.charged * member.costs.scanKeyMicros);
}
