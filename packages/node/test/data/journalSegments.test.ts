import type { Timestamp } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { JournalSegments } from '../../src/data/journalSegments.ts';

const at = (t: number): Timestamp => ({ t, i: 1 });

/** Flushes one segment with these entries and so many unreplicated records. */
function flush(segments: JournalSegments, entries: readonly number[], unreplicated = 0): void {
  for (const t of entries) segments.appendedEntry(at(t));
  for (let i = 0; i < unreplicated; i++) segments.appendedUnreplicated();
  segments.flushBegins();
  segments.flushEnded();
}

function filled(): JournalSegments {
  const segments = new JournalSegments();
  flush(segments, [], 2);
  flush(segments, [10, 11], 1);
  flush(segments, [12]);
  flush(segments, [20, 5]); // after a rollback timestamps begin again from below
  flush(segments, [], 3);
  return segments;
}

test.for<[oldest: number | undefined, throughSegment: number, unreplicated: number]>([
  [undefined, 1, 2],
  [10, 1, 2],
  [11, 1, 2],
  [12, 2, 3],
  [13, 3, 3],
  [20, 3, 3],
  [21, 5, 6],
])(
  'an oplog from %s on: segments up to %i may go, with %i unreplicated records',
  ([oldest, throughSegment, unreplicated]) => {
    expect(filled().droppable(oldest === undefined ? undefined : at(oldest))).toEqual({ throughSegment, unreplicated });
  },
);

test('what is being flushed, or was not flushed yet, stays', () => {
  const segments = new JournalSegments();
  segments.appendedUnreplicated();
  expect(segments.droppable(at(99))).toEqual({ throughSegment: 0, unreplicated: 0 });
  segments.flushBegins();
  expect(segments.droppable(at(99))).toEqual({ throughSegment: 0, unreplicated: 0 });
  segments.appendedEntry(at(5));
  segments.flushEnded();
  expect(segments.droppable(at(99))).toEqual({ throughSegment: 1, unreplicated: 1 });
  segments.flushBegins();
  segments.flushEnded();
  expect(segments.droppable(at(5))).toEqual({ throughSegment: 1, unreplicated: 1 });
});

test('what went is counted once, and a restart goes on counting', () => {
  const segments = filled();
  const first = segments.droppable(at(12));
  segments.dropped(first);
  expect(segments.droppable(at(12))).toEqual({ throughSegment: 0, unreplicated: 3 });
  const restarted = new JournalSegments();
  restarted.resume(6, 3);
  restarted.found(3, at(12), 0);
  restarted.found(4, at(20), 0);
  restarted.found(5, undefined, 3);
  expect(restarted.droppable(at(21))).toEqual({ throughSegment: 5, unreplicated: 6 });
  flush(restarted, [], 1);
  expect(restarted.droppable(at(21))).toEqual({ throughSegment: 6, unreplicated: 7 });
});
