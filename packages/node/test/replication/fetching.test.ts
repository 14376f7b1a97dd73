import { expect, test } from 'vitest';
import { FakeSource } from './fakeSource.ts';

test('no source before each other member has answered two heartbeats; then one that is ahead', () => {
  const source = new FakeSource();
  const { member } = source;
  source.write(1);
  member.advance(900);
  expect(member.repl.syncSource).toBeUndefined();
  source.fetch();
  expect(member.repl.syncSource).toBe('b:1');
  expect(member.logged(21799)).toHaveLength(1);
  expect(member.repl.positions.applied.opTime).toEqual(source.last);
});

test('asks for the next batch only once there is room for the one in hand', () => {
  const source = new FakeSource();
  const { member } = source;
  const getMores = () => member.asked('getMore', 'b:1').length;
  const { write } = member.repl.metrics.buffer;
  Object.assign(write, { maxSizeBytes: 1 });
  source.batchSize = 1000;
  source.write(3000);
  for (let i = 0; i < 5000 && getMores() === 0; i++) member.advance(1);
  // The second batch is there at once, and waits: writing the first takes five milliseconds.
  member.advance(2);
  expect(getMores()).toBe(1);
  expect(write.count).toBe(999);
  member.advance(100);
  expect(getMores()).toBe(4);
  expect(member.repl.oplog.last).toEqual(source.last);
  expect(write).toMatchObject({ count: 0, sizeBytes: 0 });
});

test('a commit point of another term, from the source, goes as far as this member has written, with that wall clock', () => {
  const source = new FakeSource();
  const { member } = source;
  source.committed = { ts: { t: 4_000_000_000, i: 1 }, t: 5 };
  source.committedWallMs = 4_000_000_000_000;
  const { opTime, wallMs } = member.repl.positions.written;
  source.write(1);
  let first: unknown;
  member.watch = () => {
    first ??=
      member.repl.syncSource && member.repl.positions.commitPoint.opTime.ts.t > 0
        ? member.repl.positions.commitPoint
        : undefined;
  };
  source.fetch();
  expect(first).toEqual({ opTime, wallMs });
});
