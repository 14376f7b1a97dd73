import { durationText } from '@replsim/kernel';
import {
  BsonType,
  type BsonValue,
  decodeFields,
  ElementCursor,
  encodeName,
  findField,
  firstKey,
  readInt64AsNumber,
  readString,
} from '@replsim/protocol';

/** What is less behind than this may be the time that a write took. Unit: ms. */
const LEAST_MS = 1000;
/** How old a date may be that an application has just read off its own clock. Unit: ms. */
const FRESH_MS = 5000;
/** A clock that is read twice may show another millisecond. Unit: ms. */
const AHEAD_MS = 5;
/** Fields that are warned of: after so many, more warnings say nothing new. */
const MOST_TOLD = 20;
/** So many documents of a command are looked at; others of it look the same. */
const MOST_DOCUMENTS = 100;

const DOCUMENTS = encodeName('documents');
const UPDATES = encodeName('updates');
const U = encodeName('u');
const UPDATE = encodeName('update');
const DB = encodeName('$db');
const OK = new Set(['ok']);

/** What each command writes, as far as it says so: documents, or changes of some. */
const WRITTEN: ReadonlyMap<string, (command: Uint8Array) => Iterable<BsonValue>> = new Map([
  ['insert', (command) => elementsOf(findField(command, DOCUMENTS))],
  ['update', updatesOf],
  ['findAndModify', updateOf],
  ['findandmodify', updateOf],
]);

/** The clocks of a set and of the machine that it runs on. Unit: ms since 1970. */
export interface TwoClocks {
  readonly setMs: () => number;
  readonly machineMs: () => number;
}

/**
 * Notices applications that read the machine's clock although the set's has been moved ahead. Their documents are older than they
 * mean: TTL deletes them too early, and a query for the last minute does not find them. Nothing else would say so.
 */
export class DatesBehind {
  readonly #clocks: TwoClocks;
  readonly #listeners: ((told: string) => void)[] = [];
  /** Collections with a field. */
  readonly #told = new Set<string>();
  #jumpedMs = 0;

  constructor(clocks: TwoClocks) {
    this.#clocks = clocks;
  }

  /** Calls `listener` once for each collection and field, in words for whoever runs the application. */
  onBehind(listener: (told: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Somebody has moved the set's clock ahead. */
  jumped(micros: number): void {
    this.#jumpedMs += micros / 1000;
  }

  /** @param reply what a member says to a client's command */
  answered(command: Uint8Array, reply: Uint8Array): void {
    if (this.#jumpedMs < LEAST_MS || this.#listeners.length === 0 || this.#told.size >= MOST_TOLD) return;
    const written = WRITTEN.get(firstKey(command));
    // What the member has understood can be read here too.
    if (written === undefined || decodeFields(reply, OK).ok !== 1) return;
    let left = MOST_DOCUMENTS;
    for (const document of written(command)) {
      if (left-- === 0) return;
      for (const [field, dateMs] of datesOf(document)) this.#look(command, field, dateMs);
    }
  }

  /** A date that is as old as it should be is none of an application's clock. */
  #look(command: Uint8Array, field: string, dateMs: number): void {
    const { setMs, machineMs } = this.#clocks;
    const age = machineMs() - dateMs;
    const behindMs = setMs() - dateMs;
    if (age > FRESH_MS || age < -AHEAD_MS || behindMs < Math.max(LEAST_MS, this.#jumpedMs / 2)) return;
    const where = `${namespaceOf(command)}, field ${field}`;
    if (this.#told.has(where) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(where);
    const behind = durationText(Math.round(behindMs / 1000) * 1_000_000);
    for (const listener of this.#listeners) listener(behindText(where, behind));
  }
}

function behindText(where: string, behind: string): string {
  return (
    `${where}: a date was written that lies ${behind} behind the set's clock, which has been moved ahead; TTL takes the document for ` +
    'that much older. Take the time from the set, by set.now(), localTime of hello, or $currentDate; or give both one clock, by ' +
    'set.useFakeTimers()'
  );
}

function namespaceOf(command: Uint8Array): string {
  const cursor = new ElementCursor(command);
  cursor.next();
  const db = findField(command, DB);
  return `${db === undefined ? '' : `${readString(db)}.`}${readString(cursor)}`;
}

function* elementsOf(array: BsonValue | undefined): Iterable<BsonValue> {
  if (array === undefined) return;
  const cursor = new ElementCursor(array.bytes, array.offset);
  while (cursor.next()) yield cursor.value();
}

function updateOf(command: Uint8Array): readonly BsonValue[] {
  const change = findField(command, UPDATE);
  return change === undefined ? [] : [change];
}

function* updatesOf(command: Uint8Array): Iterable<BsonValue> {
  for (const { bytes, offset } of elementsOf(findField(command, UPDATES))) {
    const change = findField(bytes, U, offset);
    if (change !== undefined) yield change;
  }
}

/** The dates at the top of a document, or that operators such as `$set` put there. */
function* datesOf({ bytes, offset, type }: BsonValue, inOperator = false): Iterable<readonly [string, number]> {
  if (type !== BsonType.object) return;
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) {
    if (cursor.type === BsonType.date) yield [cursor.name, readInt64AsNumber(bytes, cursor.offset)];
    else if (!inOperator && cursor.type === BsonType.object && cursor.name.startsWith('$'))
      yield* datesOf(cursor.value(), true);
  }
}
