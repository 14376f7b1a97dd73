import type { Db, Document } from 'mongodb';

/** What one client does to a set, within mongod's limits, while another one sends `ping`. */
export interface Row {
  readonly name: string;
  /** Collections that it reads and does not change, by their names in `FIXTURES`. */
  readonly fixtures?: readonly string[];
  /** What is done before, unmeasured. */
  readonly prepare?: (db: Db) => Promise<unknown>;
  /** What is sent; a list is sent one after the other. */
  readonly commands: (db: Db) => Document | readonly Document[];
  /** Sent to the database `admin`. */
  readonly onAdmin?: true;
  /** Sent at once, and not one after the other. */
  readonly atOnce?: true;
}

/** `{ aggregate }` over a fixture, with `disk` and cursor as they must be. */
export function aggregate(fixture: string, ...pipeline: readonly Document[]): Pick<Row, 'fixtures' | 'commands'> {
  return { fixtures: [fixture], commands: () => ({ aggregate: fixture, pipeline, cursor: {} }) };
}

/** An expression of one document of a fixture, of which only the size comes back. */
export function computed(fixture: string, expression: unknown): Pick<Row, 'fixtures' | 'commands'> {
  return aggregate(fixture, { $project: { size: { $bsonSize: { v: expression } } } });
}

/** So many of something. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** An object of so many fields. */
export function fields(count: number, make: (index: number) => readonly [string, unknown]): Document {
  return Object.fromEntries(times(count, make));
}

/** Wraps a value so many times. */
export function nested<T>(depth: number, innermost: T, around: (inner: T) => T): T {
  let value = innermost;
  for (let i = 0; i < depth; i++) value = around(value);
  return value;
}
