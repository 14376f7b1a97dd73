import { compareOpTimes, type OplogEntry, type OpTime } from '@replsim/protocol';
import type { MemberAt } from '../../core/history/memberAt.ts';
import type { Cell, Oplogs } from '../../core/history/oplogs.ts';

/** A member's cells, by the keys of their columns. */
export interface OplogLane {
  readonly member: MemberAt;
  readonly cells: ReadonlyMap<string, Cell>;
}

/** One for each optime that somebody has, or had. */
export interface Column {
  readonly key: string;
  readonly opTime: OpTime;
}

/**
 * The newest entries of all members at an instant, those of the same optime below each other, oldest first.
 * @param upTo leaves out what is newer
 */
export function columnsAt(
  oplogs: Oplogs,
  members: readonly MemberAt[],
  atMicros: number,
  most: number,
  upTo: OpTime | undefined,
): { readonly lanes: readonly OplogLane[]; readonly columns: readonly Column[] } {
  const all = new Map<string, Column>();
  const lanes = members.map((member) => {
    const cells = new Map<string, Cell>();
    for (const cell of oplogs.at(member.name, atMicros, most, upTo)) {
      const key = keyOf(cell.entry);
      cells.set(key, cell);
      if (!all.has(key)) all.set(key, { key, opTime: cell.entry.opTime });
    }
    return { member, cells };
  });
  const columns = [...all.values()].sort((a, b) => compareOpTimes(a.opTime, b.opTime)).slice(-most);
  return { lanes, columns };
}

/** The same entry on every member: its timestamp and its term. */
function keyOf({ opTime: { ts, t } }: OplogEntry): string {
  return `${ts.t} ${ts.i} ${t}`;
}
