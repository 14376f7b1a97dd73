import type { Statement, Waiting } from '@replsim/driver';
import type { Random } from '@replsim/kernel';
import { ElementCursor, encodeName, findField, type ListOperation, readString } from '@replsim/protocol';
import type { AppendTurn } from '../scenario.ts';
import { firstBatch } from '../stage/answers.ts';
import type { Calls, Return } from './calls.ts';
import type { Told } from './told.ts';

/** How many operations a transaction has, at least and at most. */
const OPERATIONS = [1, 4] as const;
const VALUES = encodeName('values');

/** Transactions that append to lists and read them, `{ _id: 1, values: [ … ] }`, each element once in a run. */
export class Appends {
  readonly #turn: AppendTurn;
  readonly #name: string;
  readonly #random: Random;
  readonly #calls: Calls;
  #elements = 0;
  #operations: ListOperation[] = [];
  #returned: Return | undefined;

  constructor(turn: AppendTurn, name: string, random: Random, calls: Calls) {
    this.#turn = turn;
    this.#name = name;
    this.#random = random;
    this.#calls = calls;
  }

  /** The statements of one transaction; when they are done once more, the transaction before has been aborted. */
  *transact(statement: Statement): Waiting<void> {
    this.#returned?.('fail', { operations: this.#operations });
    const planned = this.#plan();
    this.#operations = [...planned];
    this.#returned = this.#calls.begin({ kind: 'transaction', operations: planned });
    for (const [index, operation] of planned.entries()) {
      const { key } = operation;
      if (operation.f === 'append') yield* statement(this.#push(key, operation.value));
      else this.#operations[index] = { f: 'read', key, list: listIn(yield* statement(this.#find(key))) };
    }
  }

  /** What became of the last transaction, as far as the client can know. */
  ended(told: Told, inDoubt: boolean): void {
    const isDone = told.outcome === 'acknowledged';
    const isUnknown = inDoubt || told.error?.name === 'MongoWriteConcernError';
    this.#returned?.(isDone ? 'ok' : isUnknown ? 'info' : 'fail', { operations: this.#operations });
    this.#returned = undefined;
  }

  #plan(): ListOperation[] {
    const [least, most] = OPERATIONS;
    return Array.from({ length: this.#random.int(least, most + 1) }, (): ListOperation => {
      const key = String(this.#random.int(1, this.#turn.lists + 1));
      if (this.#random.chance(0.5)) return { f: 'read', key };
      return { f: 'append', key, value: `${this.#name}/${++this.#elements}` };
    });
  }

  #push(key: string, value: string): ReadonlyMap<string, unknown> {
    const { db, collection } = this.#turn;
    const statement = { q: { _id: Number(key) }, u: { $push: { values: value } }, upsert: true };
    return new Map<string, unknown>([
      ['update', collection],
      ['updates', [statement]],
      ['$db', db],
    ]);
  }

  #find(key: string): ReadonlyMap<string, unknown> {
    const { db, collection } = this.#turn;
    return new Map<string, unknown>([
      ['find', collection],
      ['filter', { _id: Number(key) }],
      ['limit', 1],
      ['singleBatch', true],
      ['$db', db],
    ]);
  }
}

function listIn(reply: Uint8Array): readonly string[] {
  const [document] = firstBatch(reply);
  const values = document && findField(document, VALUES);
  if (!values) return [];
  const list: string[] = [];
  const cursor = new ElementCursor(values.bytes, values.offset);
  while (cursor.next()) list.push(readString(cursor));
  return list;
}
