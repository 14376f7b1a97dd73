import { formatDuration } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';
import { eventDue } from '../due.ts';
import { each, type Fault } from './fault.ts';
import { strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** Argument of the fault `truncateOplog`: which oplog entries to delete. */
export interface OplogWindow {
  /** Whose oplog. */
  readonly on: Target;
  /** Delete entries older than this, by the member's own clock: a duration such as `"10s"`, or milliseconds. */
  readonly olderThan: string | number;
}

/** The truncation of one member's oplog. */
export interface OplogTruncated {
  readonly type: 'truncateOplog';
  readonly member: string;
  readonly olderThanMs: number;
}

const truncateOplog: Fault<OplogWindow, OplogTruncated> = {
  what: 'Deletes the oldest entries of an oplog, as if it were too small for them',
  shape: ({ duration }) =>
    strict('truncateOplog', {
      on: target.describe('Whose oplog'),
      olderThan: duration.describe('Delete entries older than this, except those that recovery needs'),
    }),
  actions: ({ on, olderThan }, door) => {
    const olderThanMs = door.durationMs(['olderThan'], olderThan);
    if (olderThanMs < 0) door.mistake(['olderThan'], 'entries are not older than the future', 'write for instance 10s');
    return each(door.members(['on'], on, 'bearing data'), (member) => ({ type: 'truncateOplog', member, olderThanMs }));
  },
  apply: (world, { member, olderThanMs }) => {
    const { process } = world.member(member);
    if (process === undefined) return undefined;
    const { keepsOplog } = process.mongod;
    if (keepsOplog !== undefined) throw new CommandError('IllegalOperation', `truncateOplog: ${member} ${keepsOplog}`);
    process.truncationsAsked++;
    world.schedule(0, eventDue(process, { type: 'truncateOplog', olderThanMs }));
    return undefined;
  },
  say: ({ member, olderThanMs }) => ({ on: member, olderThan: formatDuration(Math.round(olderThanMs * 1000)) }),
};

/** Faults of a member's oplog. */
export const oplogFaults = {
  /** Deletes the oldest oplog entries, as if the oplog were too small for them. Entries that recovery needs are kept. */
  truncateOplog,
};
