import { compareOpTimes, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** One entry in one member's oplog. */
export interface Cell {
  readonly entry: OplogEntry;
  readonly addedMicros: number;
  /** When a rollback took it away, or a start found the disk without it; undefined if it stayed. */
  removedMicros: number | undefined;
}

/** What each member's oplog held at each instant. */
export class Oplogs {
  readonly #cells = new Map<string, Cell[]>();

  observe(event: TraceEvent): void {
    if (event.type === 'oplogWritten') {
      const cells = this.#of(event.member);
      for (const entry of event.entries) cells.push({ entry, addedMicros: event.atMicros, removedMicros: undefined });
    } else if (event.type === 'rolledBack') {
      this.#cutBehind(event.member, event.commonPoint, event.atMicros);
    } else if (event.type === 'processStarted') {
      // A crash takes what was not in the journal.
      this.#cutBehind(event.member, event.lastApplied, event.atMicros);
    }
  }

  /** The newest entries of a member at an instant, oldest first. */
  at(member: string, atMicros: number, most: number): readonly Cell[] {
    const cells = this.#cells.get(member) ?? [];
    const found: Cell[] = [];
    for (let i = countUpTo(cells, ({ addedMicros }) => addedMicros, atMicros) - 1; i >= 0 && found.length < most; i--) {
      const cell = cells[i]!;
      if (cell.removedMicros === undefined || cell.removedMicros > atMicros) found.push(cell);
    }
    return found.reverse();
  }

  #of(member: string): Cell[] {
    let cells = this.#cells.get(member);
    if (cells === undefined) {
      cells = [];
      this.#cells.set(member, cells);
    }
    return cells;
  }

  #cutBehind(member: string, opTime: OpTime, atMicros: number): void {
    const cells = this.#of(member);
    for (let i = cells.length - 1; i >= 0; i--) {
      const cell = cells[i]!;
      if (cell.removedMicros !== undefined) continue;
      if (compareOpTimes(cell.entry.opTime, opTime) <= 0) return;
      cell.removedMicros = atMicros;
    }
  }
}
