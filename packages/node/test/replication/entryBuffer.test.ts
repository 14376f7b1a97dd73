import { noopOperation } from '@replsim/oplog';
import { OplogEntry } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { EntryBuffer } from '../../../oplog/src/entryBuffer.ts';

const entry = (secs: number) => new OplogEntry(noopOperation('n'), { ts: { t: secs, i: 1 }, t: 1 }, secs * 1000);
const SIZE = entry(1).byteLength;

test('keeps count of what it holds, first in, first out', () => {
  const counters = { count: 0, sizeBytes: 0, maxCount: 0, maxSizeBytes: 3 * SIZE };
  const buffer = new EntryBuffer(counters);
  buffer.push([entry(1), entry(2)]);
  expect(counters).toMatchObject({ count: 2, sizeBytes: 2 * SIZE });
  expect(buffer.hasRoomFor(SIZE, 1)).toBe(true);
  expect(buffer.hasRoomFor(SIZE + 1, 1)).toBe(false);
  expect(buffer.bytesOf(1)).toBe(SIZE);
  expect(buffer.shift(1).map(({ wallMs }) => wallMs)).toEqual([1000]);
  expect(counters).toMatchObject({ count: 1, sizeBytes: SIZE });
  expect(buffer.last?.wallMs).toBe(2000);
  buffer.shift(1);
  expect(counters).toMatchObject({ count: 0, sizeBytes: 0 });
});

test('takes anything while it is empty, or a batch above its size could never pass', () => {
  const buffer = new EntryBuffer({ count: 0, sizeBytes: 0, maxCount: 0, maxSizeBytes: 1 });
  expect(buffer.hasRoomFor(1000, 1)).toBe(true);
  buffer.push([entry(1)]);
  expect(buffer.hasRoomFor(0, 0)).toBe(false);
});

test('is full at so many entries, too, where that is limited', () => {
  const buffer = new EntryBuffer({ count: 0, sizeBytes: 0, maxCount: 3, maxSizeBytes: 1_000_000 });
  expect(buffer.hasRoomFor(SIZE, 4)).toBe(true);
  buffer.push([entry(1), entry(2)]);
  expect(buffer.hasRoomFor(SIZE, 1)).toBe(true);
  expect(buffer.hasRoomFor(SIZE, 2)).toBe(false);
});
