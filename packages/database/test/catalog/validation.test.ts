import { VERSIONS } from '@replsim/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
const validator = { n: { $gte: 0 } };
const options = (): Doc => member.ok({ listCollections: 1, filter: { name: 'c' } }).cursor.firstBatch[0].options;

beforeEach(() => {
  member = new FakeMember();
  member.ok({ create: 'c', validator });
  member.insert('c', { _id: 1, n: 1 }, { _id: 2, n: 2 });
});

const details = {
  operatorName: '$gte',
  specifiedAs: { n: { $gte: 0 } },
  reason: 'comparison failed',
  consideredValue: -1,
};
const failed = { code: 121, errmsg: expect.stringMatching(/(^| :: )Document failed validation$/) };

describe('a validator', () => {
  test.for([true, false])('refuses inserts one by one, ordered %s', (ordered) => {
    const documents = [{ _id: 3, n: 3 }, { _id: 4, n: -1 }, { _id: 5, n: 5 }, { _id: 6 }]; // biome-ignore format: one line
    const reply = member.run({ insert: 'c', documents, ordered });
    expect(reply).toMatchObject({ ok: 1, n: ordered ? 1 : 2 });
    expect(reply.writeErrors[0]).toEqual({ index: 1, ...failed, errInfo: { failingDocumentId: 4, details } });
    expect(reply.writeErrors).toHaveLength(ordered ? 1 : 2);
    expect(member.documents('app.c').map(({ _id }) => _id)).toEqual(ordered ? [1, 2, 3] : [1, 2, 3, 5]);
  });

  const bad = { $set: { n: -1 } };
  test.for([
    ['an update', { update: 'c', updates: [{ q: { _id: 1 }, u: bad }] }],
    ['a replacement', { update: 'c', updates: [{ q: { _id: 1 }, u: { n: -1 } }] }],
    ['an update by pipeline', { update: 'c', updates: [{ q: { _id: 1 }, u: [bad] }] }],
    ['an upsert', { update: 'c', updates: [{ q: { _id: 9 }, u: bad, upsert: true }] }],
    ['findAndModify', { findAndModify: 'c', query: { _id: 1 }, update: bad }],
    ['findAndModify with upsert', { findAndModify: 'c', query: { _id: 9 }, update: bad, upsert: true }],
    ['bulkWrite', { bulkWrite: 1, ops: [{ update: 0, filter: { _id: 1 }, updateMods: bad }], nsInfo: [{ ns: 'app.c' }] }],
    ['bulkWrite that inserts', { bulkWrite: 1, ops: [{ insert: 0, document: { _id: 9, n: -1 } }], nsInfo: [{ ns: 'app.c' }] }],
  ] as const)('refuses %s, unless it bypasses validation', ([, command]) => {
    const db = 'bulkWrite' in command ? 'admin' : 'app';
    const reply = member.run(command, db);
    const error = reply.ok === 0 ? reply : (reply.writeErrors ?? reply.cursor.firstBatch)[0];
    expect(error).toMatchObject({ ...failed, errInfo: { details } });
    expect(member.writes.log).toEqual([]);
    expect(member.run({ ...command, bypassDocumentValidation: true }, db).writeErrors).toBeUndefined();
    expect(member.documents('app.c').some(({ n }) => n === -1)).toBe(true);
  }); // biome-ignore format: a table

  test('does not ask what is there already, nor what does not change', () => {
    member.ok({ insert: 'c', documents: [{ _id: 9, n: -1 }], bypassDocumentValidation: true });
    expect(member.ok({ update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { n: -1 } } }] })).toMatchObject({ n: 1, nModified: 0 }); // biome-ignore format: one line
    expect(member.ok({ delete: 'c', deletes: [{ q: { _id: 9 }, limit: 1 }] }).n).toBe(1);
  });

  test.for([
    // level, action, _id of the document, whether it goes through
    ['strict', 'error', 1, false],
    ['strict', 'error', 9, false],
    ['moderate', 'error', 1, false],
    ['moderate', 'error', 9, true],
    ['off', 'error', 1, true],
    ['strict', 'warn', 1, true],
  ] as const)(
    '%s, %s: an update of the document %i goes through: %s',
    ([validationLevel, validationAction, _id, goes]) => {
      member.ok({ insert: 'c', documents: [{ _id: 9, n: -1 }], bypassDocumentValidation: true });
      member.ok({ collMod: 'c', validationLevel, validationAction });
      const reply = member.run({ update: 'c', updates: [{ q: { _id }, u: { $set: { n: -5 } } }] });
      expect(reply.writeErrors === undefined).toBe(goes);
      expect(member.documents('app.c').some(({ n }) => n === -5)).toBe(goes);
    },
  );

  test('the action warn says so in the log', () => {
    member.ok({ collMod: 'c', validationAction: 'warn' });
    member.ok({ insert: 'c', documents: [{ _id: 9, n: -1 }] });
    const log = member.ok({ getLog: 'global' }, 'admin').log.map((line: string) => JSON.parse(line));
    const attr = { namespace: 'app.c', document: { _id: 9, n: -1 }, errInfo: { failingDocumentId: 9, details } };
    expect(log.at(-1)).toMatchObject({ s: 'W', c: 'STORAGE', id: 20294, attr });
  });

  test('a document of which an expression cannot tell is not valid', () => {
    const $expr = { $concat: ['$s', 'x'] };
    member.ok({ collMod: 'c', validator: { $expr } });
    const document = { _id: 9, s: 5 };
    const details = {
      operatorName: '$expr',
      specifiedAs: { $expr },
      reason: 'failed to evaluate aggregation expression',
      details: { code: 16702, codeName: 'Location16702', errmsg: '$concat only supports strings, not int' },
    };
    const { writeErrors } = member.run({ insert: 'c', documents: [document] });
    expect(writeErrors).toEqual([{ index: 0, ...failed, errInfo: { failingDocumentId: 9, details } }]);
    member.ok({ collMod: 'c', validationAction: 'warn' });
    expect(member.ok({ insert: 'c', documents: [document] }).n).toBe(1);
    // It may stay so.
    member.ok({ collMod: 'c', validationAction: 'error', validationLevel: 'moderate' });
    expect(member.ok({ update: 'c', updates: [{ q: document, u: { $set: { s: 6 } } }] }).nModified).toBe(1);
  });

  test('before 5.0 the error does not say why', () => {
    member.traits = VERSIONS['3.2'];
    const reply = member.run({ insert: 'c', documents: [{ _id: 9, n: -1 }] });
    expect(reply.writeErrors).toEqual([{ index: 0, ...failed }]);
  });

  test('a JSON schema', () => {
    member.ok({ collMod: 'c', validator: { $jsonSchema: { required: ['name'] } } });
    const { writeErrors } = member.run({ insert: 'c', documents: [{ _id: 9 }] });
    expect(writeErrors[0].errInfo.details).toEqual({
      operatorName: '$jsonSchema',
      schemaRulesNotSatisfied: [
        { operatorName: 'required', specifiedAs: { required: ['name'] }, missingProperties: ['name'] },
      ],
    });
    member.ok({ insert: 'c', documents: [{ _id: 9, name: 'x' }] });
    expect(member.find('c', { $jsonSchema: { required: ['name'] } })).toHaveLength(1);
  });
});

describe('the options', () => {
  test('a validator comes with a level and an action', () => {
    expect(options()).toEqual({ validator, validationLevel: 'strict', validationAction: 'error' });
  });

  test('collMod changes each by itself, and an empty validator is none', () => {
    member.ok({ collMod: 'c', validationLevel: 'moderate' });
    expect(options()).toEqual({ validator, validationLevel: 'moderate', validationAction: 'error' });
    member.ok({ collMod: 'c', validator: { n: { $type: 'int' } }, validationAction: 'warn' });
    expect(options()).toEqual({ validator: { n: { $type: 'int' } }, validationLevel: 'moderate', validationAction: 'warn' }); // biome-ignore format: one line
    member.ok({ collMod: 'c', validator: {} });
    expect(options()).toEqual({ validationLevel: 'moderate', validationAction: 'warn' });
    member.ok({ insert: 'c', documents: [{ _id: 9, n: -1 }] });
  });

  test.for([
    [{ validator }, { validator, validationLevel: 'strict', validationAction: 'error' }],
    [{ validator: {} }, { validationLevel: 'strict', validationAction: 'error' }],
    [{ validationLevel: 'off' }, { validationLevel: 'off', validationAction: 'error' }],
    [{ validationAction: 'warn' }, { validationLevel: 'strict', validationAction: 'warn' }],
    [{ cappedMax: 1 }, {}],
  ] as const)('collMod %j of a collection that has nothing of it', ([sent, expected]) => {
    member.ok({ drop: 'c' });
    member.ok({ create: 'c', ...('cappedMax' in sent && { capped: true, size: 100 }) });
    member.ok({ collMod: 'c', ...sent });
    const { capped, size, max, ...validation } = options();
    expect(validation).toEqual(expected);
  });

  test.for([
    [{ validator: 1 }, 14],
    [{ validator: { $nope: 1 } }, 2],
    [{ validator: { $jsonSchema: { nope: 1 } } }, 9],
    [{ validationLevel: 'none' }, 2],
    [{ validationAction: 'none' }, 2],
    [{ validationLevel: 1 }, 14],
  ] as const)('%j is refused by create and by collMod', ([sent, code]) => {
    expect(member.run({ create: 'd', ...sent })).toMatchObject({ ok: 0, code });
    expect(member.run({ collMod: 'c', ...sent })).toMatchObject({ ok: 0, code });
  });

  test('no validators in the databases of the system, nor for time series', () => {
    expect(member.run({ create: 'd', validator }, 'config')).toMatchObject({ ok: 0, code: 72 });
    expect(member.run({ create: 'd', validator, timeseries: { timeField: 't' } })).toMatchObject({ ok: 0, code: 72 });
  });

  test('a collation is kept with all its fields', () => {
    member.ok({ drop: 'c' });
    member.ok({ create: 'c', collation: { locale: 'en', strength: 2 } });
    expect(options().collation).toMatchObject({ locale: 'en', strength: 2, caseLevel: false, version: '57.1' });
  });
});
