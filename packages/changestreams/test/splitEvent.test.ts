import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { splitEvent } from '../src/splitEvent.ts';

// An event that is too large for one document.

const fragmentToken = (n: number) => encodeDocument({ _data: `82${n}` });

function parts(fields: Record<string, unknown>, maxBytes: number) {
  const event = encodeDocument({ _id: { _data: '82' }, ...fields });
  const fragments = splitEvent(event, maxBytes, fragmentToken);
  for (const fragment of fragments ?? []) expect(fragment.length).toBeLessThanOrEqual(maxBytes);
  return fragments?.map(decodePromoted);
}

test('the smallest fields come first, as many as fit', () => {
  const big = 'x'.repeat(600);
  const fields = { fullDocument: { big }, operationType: 'update', fullDocumentBeforeChange: { big, y: 1 }, n: 1 };
  expect(parts(fields, 1000)).toEqual([
    {
      _id: { _data: '820' },
      splitEvent: { fragment: 1, of: 2 },
      n: 1,
      operationType: 'update',
      fullDocument: { big },
    },
    { _id: { _data: '821' }, splitEvent: { fragment: 2, of: 2 }, fullDocumentBeforeChange: { big, y: 1 } },
  ]);
});

test('a single field that is too large cannot be divided', () => {
  expect(parts({ fullDocument: { big: 'x'.repeat(1000) } }, 1000)).toBeUndefined();
});

test('a part is as full as may be', () => {
  const [frame, field] = [64 + fragmentToken(0).length + 8, 7];
  expect(parts({ a: 1, b: 2 }, frame + 2 * field)).toHaveLength(1);
  expect(parts({ a: 1, b: 2 }, frame + 2 * field - 1)).toHaveLength(2);
});
