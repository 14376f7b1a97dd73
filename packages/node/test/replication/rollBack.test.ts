import { expect, test } from 'vitest';
import { rollBack } from '../../src/replication/rollback/rollBack.ts';
import { FakeSource } from './fakeSource.ts';

test.for([
  { rolls: 'stays', rbids: [4, 4], end: { value: undefined } },
  { rolls: 'rolls back itself', rbids: [4, 5], end: { error: { codeName: 'InvalidSyncSource' } } },
])('a rollback whose source $rolls meanwhile', ({ rbids, end }) => {
  const source = new FakeSource();
  const [first] = source.entries;
  source.committed = first!.opTime;
  source.write(3);
  source.fetch();
  const { member } = source;
  const b = member.peers.get('b:1')!;
  const { other } = b;
  const left = [...rbids];
  b.other = (command) => {
    if ('replSetGetRBID' in command) return { ok: 1, rbid: left.shift()! };
    return 'sort' in command ? { ok: 1, opTimes: [first!.opTime] } : other(command);
  };
  member.repl.follow('ROLLBACK');
  const labels = { desc: 'BackgroundSync', ns: '', commandName: '', killable: 'onRollback' } as const;
  const ends: unknown[] = [];
  member.repl.scheduler.run(labels, rollBack(member.repl, 'b:1'), (ended) => ends.push(ended));
  member.advance(5000);
  expect(left).toEqual([]);
  expect(ends).toMatchObject([end]);
});
