import type { Random } from '@replsim/kernel';
import { decodeDocument, encodeDocument, RawValue } from '@replsim/protocol';
import { Double, Int32, Long, Timestamp } from 'bson';

/** What placeholders are filled with, at the moment when a command or filter is sent. */
export interface Filling {
  /** The wall clock of the member that is asked, ms since 1970. */
  readonly nowMs: number;
  /** The stream of `$rand`. */
  readonly random: Random;
  /** What `let` remembered. */
  readonly lets: ReadonlyMap<string, unknown>;
  /** The config that the scenario's members stand for, as `initiate` sends it. */
  readonly firstConfig?: unknown;
  /** The running number, in documents that `count` repeats. */
  readonly i?: number;
}

/** A place in a command or filter whose value is known only when it is sent. */
export interface Placeholder {
  readonly fill: (filling: Filling) => unknown;
}

class Hole implements Placeholder {
  readonly fill: (filling: Filling) => unknown;
  constructor(fill: (filling: Filling) => unknown) {
    this.fill = fill;
  }
}

/** Wraps a rule for a value that is known only at run time. */
export function hole(fill: (filling: Filling) => unknown): Placeholder {
  return new Hole(fill);
}

/** A mistake that only the run can show, such as `$plus` of two texts. */
export class FillError extends Error {}

/**
 * A document of a scenario: Maps (which keep the order of keys like "1"), arrays, bson values and holes.
 * Without holes it is encoded once.
 */
export class Template {
  readonly value: ReadonlyMap<string, unknown>;
  readonly dynamic: boolean;
  #bytes: Uint8Array | undefined;

  constructor(value: ReadonlyMap<string, unknown>) {
    this.value = value;
    this.dynamic = hasHoles(value);
  }

  /** The document as BSON. */
  bytes(filling: Filling): Uint8Array {
    if (this.dynamic) return encodeDocument(fillFields(this.value, filling));
    return this.encoded();
  }

  /** The document as BSON, if it has no holes. */
  encoded(): Uint8Array {
    this.#bytes ??= encodeDocument(this.value);
    return this.#bytes;
  }
}

/** A command with the database it is for, as drivers send it. */
export function withDb(command: Template, db: string): Template {
  return command.value.has('$db') ? command : new Template(new Map([...command.value, ['$db', db]]));
}

function hasHoles(value: unknown): boolean {
  if (value instanceof Hole) return true;
  if (Array.isArray(value)) return value.some(hasHoles);
  return value instanceof Map && [...value.values()].some(hasHoles);
}

/** The value with all its holes filled. */
export function fillValue(value: unknown, filling: Filling): unknown {
  if (value instanceof Hole) return value.fill(filling);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, filling));
  return value instanceof Map ? fillFields(value, filling) : value;
}

/** The fields with all holes in them filled. */
export function fillFields(fields: ReadonlyMap<string, unknown>, filling: Filling): Map<string, unknown> {
  const filled = new Map<string, unknown>();
  for (const [key, item] of fields) filled.set(key, fillValue(item, filling));
  return filled;
}

/**
 * The sum that `$plus` stands for: numbers keep the widest of their types, a date moves by milliseconds, a timestamp by its
 * increment. Throws FillError on what cannot be added.
 */
export function plus(a: unknown, b: unknown): unknown {
  const [left, right] = [operand(a), operand(b)];
  if (typeof left === 'object' && !(left instanceof Double)) return moved(left, right);
  if (typeof right === 'object' && !(right instanceof Double)) return moved(right, left);
  if (left instanceof Double || right instanceof Double) return new Double(Number(left) + Number(right));
  const sum = BigInt(left) + BigInt(right);
  const narrow = typeof left === 'number' && typeof right === 'number' && BigInt.asIntN(32, sum) === sum;
  return narrow ? Number(sum) : sum;
}

function moved(moment: Date | Timestamp, by: Operand): Date | Timestamp {
  if (by instanceof Date || by instanceof Timestamp) throw new FillError(NOT_ADDABLE);
  if (moment instanceof Date) return dateAt(moment.getTime() + Number(by));
  const i = moment.i + Number(by);
  if (!Number.isInteger(i) || i < 0 || i > 0xffff_ffff)
    throw new FillError(`the increment of a timestamp is a whole number from 0 to 4294967295, not ${i}`);
  return new Timestamp({ t: moment.t, i });
}

/** @throws FillError for an instant that no date has */
export function dateAt(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new FillError(`${ms} milliseconds since 1970 is not a date`);
  return date;
}

/** int32 as number, int64 as bigint, double as Double. */
type Operand = number | bigint | Double | Date | Timestamp;
const NOT_ADDABLE = '$plus adds numbers, or a number to a date or timestamp';

function operand(given: unknown): Operand {
  const value = given instanceof RawValue ? decodeDocument(encodeDocument({ v: given })).v : given;
  if (typeof value === 'number') return Number.isInteger(value) ? value : new Double(value);
  if (value instanceof Int32) return value.value;
  // A timestamp is a kind of long.
  if (value instanceof Timestamp || value instanceof Date || value instanceof Double) return value;
  if (value instanceof Long) return value.toBigInt();
  if (typeof value === 'bigint') return value;
  throw new FillError(NOT_ADDABLE);
}
