import { Decimal128, Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

// Upstream has three readers of booleans: BSONElement::trueValue takes anything, `safeBool` numbers as well, `bool` and `optionalBool`
// nothing else. Sources: find_command.idl, write_ops.idl, find_and_modify_command.idl, rename_collection.idl, create_indexes.idl,
// coll_mod.idl, list_collections.idl, validate.cpp.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1 });
});

const numbers = [new Int32(1), Long.ONE, new Double(5.5), Decimal128.fromString('1')];
const others = ['x', {}, [true], new Date(0)];

type Command = (value: unknown) => object;
const find =
  (name: string): Command =>
  (value) => ({ find: 'c', [name]: value });
const update = (name: string): Command => (value) => ({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, [name]: value }] }); // biome-ignore format: one line
const findAndModify = (name: string, more: object): Command => (value) => ({ findAndModify: 'c', query: { _id: 9 }, ...more, [name]: value }); // biome-ignore format: one line
const validate =
  (name: string): Command =>
  (value) => ({ validate: 'c', [name]: value });
const index = (name: string): Command => (value) => ({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', [name]: value }] }); // biome-ignore format: one line
const collModIndex = (name: string): Command => (value) => ({ collMod: 'c', index: { name: 'a_1', [name]: value } }); // biome-ignore format: one line
const bulk = (more: object, op: object = {}): object => ({ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: { $set: { a: 1 } }, ...op }], nsInfo: [{ ns: 'app.c' }], ...more }); // biome-ignore format: one line
const CHANGE = { update: { $set: { a: 1 } } };

/** Whether the value is of the wrong type (14) to the command, or to the one statement in it. */
function isRefused(command: object, db?: string): boolean {
  const { code, writeErrors, cursor } = member.run(command, db);
  return [code, writeErrors?.[0]?.code, cursor?.firstBatch?.[0]?.code].includes(14);
}

describe('a boolean and nothing else', () => {
  test.for<[name: string, command: Command, db?: string]>([
    ...['singleBatch', 'allowDiskUse', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'noCursorTimeout', 'allowPartialResults'].map((name): [string, Command] => [`find.${name}`, find(name)]),
    ['insert.ordered', (ordered) => ({ insert: 'c', documents: [{ _id: 2 }], ordered })],
    ['insert.bypassEmptyTsReplacement', (bypassEmptyTsReplacement) => ({ insert: 'c', documents: [{ _id: 2 }], bypassEmptyTsReplacement })],
    ['update.ordered', (ordered) => ({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }], ordered })],
    ['update.multi', update('multi')],
    ['update.upsert', update('upsert')],
    ['update.upsertSupplied', update('upsertSupplied')],
    ['delete.ordered', (ordered) => ({ delete: 'c', deletes: [{ q: {}, limit: 1 }], ordered })],
    ['bulkWrite.ordered', (ordered) => bulk({ ordered }), 'admin'],
    ['bulkWrite.multi', (multi) => bulk({}, { multi }), 'admin'],
    ['renameCollection.dropTarget', (dropTarget) => ({ renameCollection: 'app.c', to: 'app.d', dropTarget }), 'admin'],
    ['createIndexes.indexes.hidden', index('hidden')],
    ['renameCollection.stayTemp', (stayTemp) => ({ renameCollection: 'app.c', to: 'app.d', stayTemp }), 'admin'],
  ])('$0', ([, command, db]) => {
    for (const value of [...numbers, ...others]) expect(isRefused(command(value), db), `${value}`).toBe(true);
    expect(isRefused(command(false), db)).toBe(false);
  }); // biome-ignore format: a table
});

describe('numbers as well', () => {
  test.for<[name: string, command: Command]>([
    ['insert.bypassDocumentValidation', (bypassDocumentValidation) => ({ insert: 'c', documents: [{ _id: 2 }], bypassDocumentValidation })],
    ['findAndModify.new', findAndModify('new', CHANGE)],
    ['findAndModify.upsert', findAndModify('upsert', CHANGE)],
    ['findAndModify.remove', findAndModify('remove', {})],
    ['findAndModify.bypassDocumentValidation', findAndModify('bypassDocumentValidation', CHANGE)],
    ['listCollections.nameOnly', (nameOnly) => ({ listCollections: 1, nameOnly })],
    ...['background', 'unique', 'sparse', 'prepareUnique', 'dropDups'].map((name): [string, Command] => [`createIndexes.indexes.${name}`, index(name)]),
    ['createIndexes.ignoreUnknownIndexOptions', (ignoreUnknownIndexOptions) => ({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }], ignoreUnknownIndexOptions })],
    ...['hidden', 'unique', 'prepareUnique'].map((name): [string, Command] => [`collMod.index.${name}`, collModIndex(name)]),
    ['collMod.dryRun', (dryRun) => ({ collMod: 'c', index: { name: 'a_1', hidden: true }, dryRun })],
    ['create.capped', (capped) => ({ create: 'd', size: 4096, capped })],
  ])('$0', ([, command]) => {
    for (const value of numbers) expect(isRefused(command(value)), `${value}`).toBe(false);
    for (const value of others) expect(isRefused(command(value)), `${value}`).toBe(true);
  }); // biome-ignore format: a table
});

test.for(['full', 'background', 'metadata', 'repair', 'checkBSONConformance'])('anything: validate.%s', (name) => {
  for (const value of [...numbers, ...others]) expect(isRefused(validate(name)(value)), `${value}`).toBe(false);
});
