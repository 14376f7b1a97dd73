import { encodeDocument, type OplogEntry } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { entryText } from '../../src/transcript/entryText.ts';

test.for<[o: object, text: string]>([
  [{ renameCollection: 'app.c', to: 'app.d' }, 'renameCollection app.c to app.d'],
  [{ renameCollection: 'app.c', to: 'other.d', dropTarget: true }, 'renameCollection app.c to other.d'],
  [{ drop: 'c' }, 'drop app.c'],
  [{ collMod: 'c' }, 'collMod app.c'],
  [{ dropDatabase: 1 }, 'dropDatabase app'],
])('%o is told as %s', ([o, text]) => {
  const entry = { operation: { op: 'c', ns: 'app.$cmd', o: encodeDocument(o) } } as unknown as OplogEntry;
  expect(entryText(entry)).toBe(text);
});

test.for<[operations: readonly (readonly [op: string, ns: string])[], text: string]>([
  [
    [
      ['d', 'app.s'],
      ['d', 'app.s'],
    ],
    'applyOps of 2 × delete from app.s',
  ],
  [
    [
      ['u', 'admin.system.users'],
      ['u', 'admin.system.users'],
      ['d', 'admin.system.roles'],
    ],
    'applyOps of 3: update of admin.system.users, delete from admin.system.roles',
  ],
  [[], 'applyOps of nothing'],
])('a group of %o reads as %s', ([operations, text]) => {
  const applyOps = operations.map(([op, ns]) => ({ op, ns }));
  const operation = { op: 'c', ns: 'admin.$cmd', o: encodeDocument({ applyOps: 1 }) };
  expect(entryText({ operation, applyOps } as unknown as OplogEntry)).toBe(text);
});
