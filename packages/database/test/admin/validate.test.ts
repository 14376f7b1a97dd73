import { encodeDocument } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { Binary } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { conformanceOf } from '../../src/admin/validate/bsonConformance.ts';
import { type Doc, FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 1 }, { _id: 2, a: [2, 3] }, { _id: 3 });
  member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
});

const validate = (more: object = {}): Doc => member.run({ validate: 'c', ...more });

test('a sound collection, field by field', () => {
  const { uuid, ...reply } = validate();
  expect(uuid).toBeInstanceOf(Binary);
  expect(reply).toEqual({
    ns: 'app.c',
    nInvalidDocuments: 0,
    nNonCompliantDocuments: 0,
    nrecords: 3,
    nIndexes: 2,
    keysPerIndex: { _id_: 3, a_1: 4 },
    indexDetails: {
      _id_: { valid: true, spec: { v: 2, key: { _id: 1 }, name: '_id_' } },
      a_1: { valid: true, spec: { v: 2, key: { a: 1 }, name: 'a_1' } },
    },
    valid: true,
    repaired: false,
    repairMode: 'None',
    warnings: [],
    errors: [],
    extraIndexEntries: [],
    missingIndexEntries: [],
    corruptRecords: [],
    $marker: 1,
    ok: 1,
  });
});

test('of metadata alone no record is counted', () => {
  const reply = validate({ metadata: true });
  expect(reply).toMatchObject({ ok: 1, valid: true, nIndexes: 2, keysPerIndex: {} });
  expect(Object.keys(reply)).not.toContain('nrecords');
});

test('an index that lost an entry is found', () => {
  const collection = member.engine.collection('app.c')!;
  // biome-ignore lint/suspicious/noExplicitAny: the engine's own index, whose entries nobody else may touch
  (collection.index('a_1') as any).remove(collection.get(1), 1);
  const reply = validate();
  expect(reply).toMatchObject({
    ok: 1,
    valid: false,
    errors: ["index 'a_1': 1 missing entries"],
    indexDetails: { _id_: { valid: true }, a_1: { valid: false, errors: ['1 missing entries'] } },
    missingIndexEntries: [{ indexName: 'a_1', recordId: 1, indexKey: { a: 1 } }],
    extraIndexEntries: [],
  });
});

test('an index that holds what no document has is found', () => {
  const collection = member.engine.collection('app.c')!;
  const never = new StoredDocument(encodeDocument({ _id: 9, a: 9 }));
  // biome-ignore lint/suspicious/noExplicitAny: as above
  (collection.index('a_1') as any).add(never, 9);
  expect(validate()).toMatchObject({ valid: false, extraIndexEntries: [{ indexName: 'a_1', recordId: 9 }] });
});

test('BSON that is well formed and yet not as it should be is only counted when asked for', () => {
  member.insert('c', { _id: 4, id: new Binary(new Uint8Array(3), 4) });
  expect(validate()).toMatchObject({ nNonCompliantDocuments: 0, warnings: [] });
  expect(validate({ checkBSONConformance: true })).toMatchObject({
    valid: true,
    nNonCompliantDocuments: 1,
    warnings: [expect.any(String)],
  });
});

test.for([
  [{ metadata: true, full: true }, 72],
  [{ metadata: true, repair: true }, 72],
  [{ metadata: true, background: true }, 72],
  [{ metadata: true, checkBSONConformance: true }, 72],
  [{ background: true, full: true }, 72],
  [{ repair: true, checkBSONConformance: true }, 72],
  [{ full: true, checkBSONConformance: false }, 72],
  [{ repair: true }, 72],
  [{ validate: 'nope' }, 26],
  [{ validate: 1 }, 73],
  [{ validate: '' }, 73],
  [{ nope: 1 }, 40415],
] as const)('%o: code %i', ([command, code]) => {
  expect(member.run({ validate: 'c', ...command })).toMatchObject({ ok: 0, code });
});

test('a standalone repairs, and has nothing to read in the background; a set is the other way round', () => {
  expect(validate({ background: 1 }).ok).toBe(1);
  member.memberState = 'STANDALONE';
  expect(validate({ background: 'yes' }).code).toBe(115);
  expect(validate({ repair: true, fixMultikey: true })).toMatchObject({ ok: 1, repaired: false });
});

test('a view cannot be validated', () => {
  member.ok({ create: 'v', viewOn: 'c', pipeline: [] });
  expect(member.run({ validate: 'v' }).code).toBe(166);
});

describe('conformance', () => {
  const bytes = (...parts: (number | string)[]) => {
    const body = parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : [part]));
    return Uint8Array.from([body.length + 5, 0, 0, 0, ...body, 0]);
  };
  const array = (...names: string[]) => {
    const elements = names.flatMap((name) => [10, ...new TextEncoder().encode(name), 0]);
    return bytes(4, 'a', 0, elements.length + 5, 0, 0, 0, ...elements, 0);
  };
  test.for([
    ['fields', encodeDocument({ a: { b: [1, 2] } }), 'compliant'],
    ['a name twice', bytes(10, 'a', 0, 10, 'a', 0), 'nonCompliant'],
    ['array indexes in order', array('0', '1'), 'compliant'],
    ['array indexes out of order', array('1', '0'), 'nonCompliant'],
    ['array indexes that are no numbers', array('x'), 'nonCompliant'],
    ['options in order', bytes(11, 'r', 0, 'x', 0, 'im', 0), 'compliant'],
    ['options out of order', bytes(11, 'r', 0, 'x', 0, 'mi', 0), 'nonCompliant'],
    ['a UUID', encodeDocument({ u: new Binary(new Uint8Array(16), 4) }), 'compliant'],
    ['a short UUID', encodeDocument({ u: new Binary(new Uint8Array(15), 4) }), 'nonCompliant'],
    ['other bytes', encodeDocument({ u: new Binary(new Uint8Array(15), 0) }), 'compliant'],
    ['a cut document', encodeDocument({ a: 1 }).subarray(0, 9), 'invalid'],
  ] as const)('%s', ([, document, conformance]) => {
    expect(conformanceOf(document, true)).toBe(conformance);
    if (conformance === 'nonCompliant') expect(conformanceOf(document, false)).toBe('compliant');
  });
});

// Upstream: jstests/noPassthrough, validate_doc_schema.
test('documents that are older than their validator, and do not meet it, are counted and named in the log', () => {
  member.ok({ collMod: 'c', validator: { a: { $type: 'number' } } });
  expect(validate()).toMatchObject({ valid: true, nNonCompliantDocuments: 1, nInvalidDocuments: 0, errors: [] });
  expect(validate().warnings).toHaveLength(1);
  expect(validate({ metadata: true }).warnings).toEqual([]);
  member.ok({ collMod: 'c', validationLevel: 'off' });
  expect(validate()).toMatchObject({ nNonCompliantDocuments: 0, warnings: [] });
});
