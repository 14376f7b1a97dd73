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
