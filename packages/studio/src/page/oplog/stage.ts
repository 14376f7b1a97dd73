import { compareOpTimes, type OpTime } from '@replsim/protocol';
import type { MemberAt } from '../../core/history/memberAt.ts';
import type { Cell } from '../../core/history/oplogs.ts';

/** How far an entry is on a member, and what has become of it; each has a look of its own. */
export const STAGES = {
  written: 'in the oplog only',
  applied: 'in the data, not yet in the journal',
  durable: 'in the journal',
  majority: 'majority-committed, as this member knows',
  'rolled back': 'rolled back',
  lost: 'lost: it was not in the journal when the process ended',
} as const;
export type Stage = keyof typeof STAGES;

/** The farthest that an entry has come. */
export function stageOf({ entry, removal }: Cell, { commitPoint, lastDurable, lastApplied }: MemberAt): Stage {
  if (removal !== undefined) return removal;
  const has = (position: OpTime | undefined) => position !== undefined && compareOpTimes(entry.opTime, position) <= 0;
  if (has(commitPoint)) return 'majority';
  if (has(lastDurable)) return 'durable';
  return has(lastApplied) ? 'applied' : 'written';
}
