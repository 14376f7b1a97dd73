import { type Cause, PRIMARY_CAUSES, type PrimaryParts } from './causes.ts';
import { Column } from './column.ts';

/** What was deleted by one index, a row a document. A row takes 56 bytes: its batch, and the parts of its lateness. */
export class IndexDeletions {
  readonly ns: string;
  readonly index: string;
  readonly #batches = new Column();
  readonly #parts = Object.fromEntries(PRIMARY_CAUSES.map((cause) => [cause, new Column()])) as Record<Cause, Column>;

  constructor(ns: string, index: string) {
    this.ns = ns;
    this.index = index;
  }

  get length(): number {
    return this.#batches.length;
  }

  /** @param parts µs */
  add(batch: number, parts: PrimaryParts): void {
    this.#batches.push(batch);
    for (const cause of PRIMARY_CAUSES) this.#parts[cause].push(parts[cause]);
  }

  batchOf(row: number): number {
    return this.#batches.at(row);
  }

  part(row: number, cause: keyof PrimaryParts): number {
    return this.#parts[cause].at(row);
  }

  /** Expiry to deletion, µs: the sum of the parts. */
  lateness(row: number): number {
    let sum = 0;
    for (const cause of PRIMARY_CAUSES) sum += this.#parts[cause].at(row);
    return sum;
  }
}
