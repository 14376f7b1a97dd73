import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { History } from '../../../src/core/history/history.ts';

async function historyOf(text: string): Promise<History> {
  const history = new History();
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, 'x.yaml'), (setup) => ReplSet.create({ ...setup, causes: true }), {
    onTrace: (event) => trace.push(event),
  });
  history.add(trace);
  return history;
}

const lesson = (name: string) =>
  readFileSync(new URL(`../../../../../scenarios/lessons/${name}.yaml`, import.meta.url), 'utf8');

const counts = (history: History, atMicros: number) =>
  history.at(atMicros).members.map(({ lastApplied }) => history.documents.after(lastApplied));

test('documents that TTL deletes go on the primary, and on the others when its entry arrives', async () => {
  const history = await historyOf(lesson('06-who-deletes-expired-documents'));
  const changes = history.documents.between(120e6, 121e6);
  expect(changes.map(({ member, change, by }) => `${member} ${change} ${by}`)).toEqual([
    'n1 -5 ttl',
    'n2 -5 oplog',
    'n3 -5 oplog',
  ]);
  expect(counts(history, 119e6)).toEqual([5, 5, 5]);
  expect(counts(history, 125e6)).toEqual([0, 0, 0]);
  // A member that is cut off has them still.
  expect(counts(history, 200e6)).toEqual([0, 0, 5]);
});

test('a rollback takes inserted documents back, and brings deleted ones', async () => {
  const history = await historyOf(lesson('05-what-a-rollback-takes-away'));
  const { atMicros } = history.marks.find(({ kind }) => kind === 'rollback')!;
  // Of two, n1 alone has added one, changed one and deleted one; the others have added one.
  expect(counts(history, 13e6)).toEqual([2, 2, 2]);
  expect(counts(history, atMicros)).toEqual([2, 3, 3]);
  expect(counts(history, history.endMicros)).toEqual([3, 3, 3]);
  expect(history.at(atMicros).members[0]).toMatchObject({ keptInFiles: 2 });
});

test('a dropped collection takes its documents along', async () => {
  const history = await historyOf(`name: x
begin: with a primary
replicaSet: { members: [n1, n2, n3] }
steps:
  - insert: { into: app.a, count: 3, document: { _id: $i } }
  - insert: { into: app.b, count: 2, document: { _id: $i } }
  - run: { on: primary, db: app, command: { drop: a } }
  - advance: 5s
`);
  expect(counts(history, history.endMicros)).toEqual([2, 2, 2]);
});

test('what happens can be looked up by time, and so can messages', async () => {
  const history = await historyOf(lesson('02-how-an-election-goes'));
  const { happenings, traffic } = history;
  expect(happenings.between(22.5e6, 22.6e6).map(({ type, member }) => `${member} ${type}`)).toEqual([
    'n2 electionStarted',
    'n2 votesRequested',
    'n3 voteAnswered',
    'n2 votesRequested',
    'n3 voteAnswered',
    'n2 electionWon',
    'n3 memberSeen',
    'n2 acceptsWrites',
  ]);
  expect(happenings.last(22.6e6, ({ type }) => type === 'voteAnswered')).toMatchObject({ member: 'n3', granted: true });
  expect(happenings.last(22.6e6, ({ type }) => type === 'processPaused')).toBeUndefined();
  const votes = traffic.sentBetween(22.51e6, 22.52e6, 100).filter(({ what }) => /vote/i.test(what));
  expect(votes).toHaveLength(7);
  expect(traffic.sentBetween(22.51e6, 22.52e6, 3)).toEqual(traffic.sentBetween(22.51e6, 22.52e6, 100).slice(-3));
});
