import { decodePromoted, encodeDocument, encodeName, findField, required } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { ACTION_TYPES } from '../../src/privileges/actionType.ts';
import { parsePrivilege, privilegeDocument } from '../../src/privileges/privilegeDocument.ts';

function parse(document: object) {
  const value = required(findField(encodeDocument({ v: document }), encodeName('v')), 'v');
  return parsePrivilege(value, 'privileges.0');
}

test.for([
  { cluster: true },
  { anyResource: true },
  { db: '', collection: '' },
  { db: 'd', collection: '' },
  { db: '', collection: 'c' },
  { db: 'd', collection: 'c' },
  { db: '', system_buckets: '' },
  { db: 'd', system_buckets: '' },
  { db: '', system_buckets: 'c' },
  { db: 'd', system_buckets: 'c' },
])('%o is read and written alike, its actions in the order of the enum', (resource) => {
  const document = privilegeDocument(parse({ resource, actions: ['update', 'find', 'insert', 'find'] }));
  expect(decodePromoted(encodeDocument(document))).toEqual({ resource, actions: ['find', 'insert', 'update'] });
});

test('anyAction stands for all', () => {
  const { actions } = privilegeDocument(parse({ resource: { anyResource: true }, actions: ['anyAction'] }));
  expect(actions).toEqual(ACTION_TYPES);
});

const find = ['find'];
test.for([
  [{ resource: { cluster: false }, actions: find }, 2],
  [{ resource: { cluster: true, db: 'd' }, actions: find }, 2],
  [{ resource: { anyResource: true, cluster: true }, actions: find }, 2],
  [{ resource: {}, actions: find }, 2],
  [{ resource: { db: 'd' }, actions: find }, 2],
  [{ resource: { collection: 'c' }, actions: find }, 2],
  [{ resource: { db: 'd', collection: 'c', system_buckets: 'c' }, actions: find }, 2],
  [{ resource: { db: 1, collection: 'c' }, actions: find }, 14],
  [{ resource: { db: 'd', collection: 'c', x: 1 }, actions: find }, 40415],
  [{ resource: { cluster: true }, actions: [] }, 2],
  [{ resource: { cluster: true }, actions: ['find', 'nope'] }, 9],
  [{ resource: { cluster: true }, actions: [1] }, 14],
  [{ resource: { cluster: true } }, 40414],
  [{ actions: find }, 40414],
  [{ resource: { cluster: true }, actions: find, x: 1 }, 40415],
] as const)('%o is refused with %i', ([document, code]) => {
  expect(() => parse(document)).toThrow(expect.objectContaining({ code }));
});
