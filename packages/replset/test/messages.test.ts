import type { MemberRequest } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { answer, type Behaviour, fakeSet, request, requestIn } from './fakes.ts';

/** n1 sends n2 a request each 10 ms; whoever gets one answers at once. */
const asking: Behaviour = (event, { name }, { monotonicMicros }) => {
  const incoming = requestIn(event);
  if (incoming) return [answer(incoming)];
  if (name !== 'n1' || (event.type !== 'started' && event.type !== 'timer')) return [];
  return [request('n1', 'n2', monotonicMicros / 10_000 + 1), { type: 'setTimer', key: 'next', afterMicros: 10_000 }];
};

/** Sends requests to others at the start; nobody answers. */
const asksOnce =
  (...to: string[]): Behaviour =>
  (event, { name }) =>
    event.type === 'started' && name === 'n1' ? to.map((other, index) => request('n1', other, index + 1)) : [];

test('a message takes its latency, there and back', async () => {
  const { set, story } = await fakeSet(asking);
  await set.advanceTo(5_000);
  expect(story(true)).toEqual(['1000 n2 request 1', '2000 n1 answer 1: ok']);
  expect(set.messagesDelivered).toBe(2);
});

test('messages of one channel arrive in the order in which they were sent', async () => {
  const { set, story } = await fakeSet(asksOnce('n2', 'n2', 'n2', 'n2', 'n2', 'n2'), {
    network: { latencyMs: [1, 50] },
  });
  await set.advanceTo(100_000);
  expect(story()).toEqual([1, 2, 3, 4, 5, 6].map((id) => `n2 request ${id}`));
});

test('a partition eats what is sent and what is under way, and healing lets through what is sent after', async () => {
  const { set, story } = await fakeSet(asking);
  await set.advanceTo(500);
  set.partition([['n1'], ['n2', 'n3']]);
  await set.advanceTo(15_000);
  expect(story()).toEqual(['n1 timer next']);
  set.heal('all');
  await set.advanceTo(25_000);
  expect(story(true)).toEqual(['20000 n1 timer next', '21000 n2 request 3', '22000 n1 answer 3: ok']);
});

test('a cut is one-way: the request arrives, the answer does not', async () => {
  const { set, story } = await fakeSet(asking);
  set.cut('n2', 'n1');
  await set.advanceTo(5_000);
  expect(story()).toEqual(['n2 request 1']);
  set.heal(['n1']);
  set.link('n1', 'n2', { latencyMs: 4 });
  await set.advanceTo(18_000);
  expect(story(true)).toEqual(['10000 n1 timer next', '14000 n2 request 2', '15000 n1 answer 2: ok']);
});

test('a dead process refuses, over the link and back; through a partition it does not', async () => {
  const { set, story } = await fakeSet(asking);
  set.kill('n2');
  await set.advanceTo(5_000);
  expect(story(true)).toEqual(['2000 n1 answer 1: 6 Connection refused']);
  set.partition([['n1'], ['n2']]);
  await set.advanceTo(15_000);
  expect(story()).toEqual(['n1 timer next']);
});

test('a host that nobody has refuses too', async () => {
  const { set, story } = await fakeSet(asksOnce('elsewhere'));
  await set.advanceTo(5_000);
  expect(story(true)).toEqual(['2000 n1 answer 1: 6 Host not found']);
});

test('what was sent to a process does not reach the one that is started in its place', async () => {
  const { set, story } = await fakeSet(asksOnce('n2'));
  await set.advanceTo(500);
  set.kill('n2');
  await set.start('n2');
  await set.advanceTo(5_000);
  expect(story(true)).toEqual(['2000 n1 answer 1: 6 Connection closed by peer']);
});

test('what was sent while nobody was there reaches whoever is there when it arrives', async () => {
  const { set, story } = await fakeSet(asksOnce('n2'));
  set.kill('n2');
  await set.advanceTo(500);
  await set.start('n2');
  await set.advanceTo(5_000);
  expect(story(true)).toEqual(['1000 n2 request 1']);
});

test('a process that dies breaks off the requests that it works on', async () => {
  const { set, story } = await fakeSet(asksOnce('n2', 'n3'));
  await set.advanceTo(3_000);
  story();
  set.kill('n2');
  await set.advanceTo(10_000);
  expect(story(true)).toEqual(['4000 n1 answer 1: 6 Connection closed by peer']);
});

test('an answer never reaches a later process than the one that asked', async () => {
  const answersTwice: Behaviour = (event, { name }) => {
    if (event.type === 'started' && name === 'n1') return [request('n1', 'n2', 1)];
    const incoming = requestIn(event);
    return incoming ? [answer(incoming), answer(incoming)] : [];
  };
  const { set, story } = await fakeSet(answersTwice, { network: { latencyMs: [5, 5] } });
  await set.advanceTo(3_000);
  set.kill('n1');
  await set.start('n1');
  await set.advanceTo(50_000);
  // The second n1 has a request 1 too: it gets that one's answer, once, and not the first's at 10 ms.
  expect(story(true)).toEqual(['5000 n2 request 1', '8000 n2 request 1', '13000 n1 answer 1: ok']);
});

test('whose request an answer is for stays clear when two processes of a member asked under the same id', async () => {
  const waiting: MemberRequest[] = [];
  const { set, story } = await fakeSet((event, { name }) => {
    if (event.type === 'started' && name === 'n1') return [request('n1', 'n2', 1)];
    if (name !== 'n2') return [];
    const incoming = requestIn(event);
    if (incoming) waiting.push(incoming);
    // The second process's request is answered first; the answer to the first process's, later, is for nobody.
    if (event.type === 'timer') return [answer(waiting[0]!)];
    return waiting[1] === undefined
      ? []
      : [answer(waiting[1]), { type: 'setTimer', key: 'the other', afterMicros: 100 }];
  });
  await set.advanceTo(1_500);
  set.kill('n1');
  await set.start('n1');
  await set.advanceTo(10_000);
  expect(story(true)).toEqual([
    '1000 n2 request 1',
    '2500 n2 request 1',
    '2600 n2 timer the other',
    '3500 n1 answer 1: ok',
  ]);
});

test('a duplicated request is answered twice, and both answers reach the process that asked', async () => {
  const { set, story } = await fakeSet(asking, { network: { latencyMs: 1 } });
  set.link('n1', 'n2', { duplicate: 1 });
  await set.advanceTo(5_000);
  expect(story()).toEqual(['n2 request 1', 'n2 request 1', 'n1 answer 1: ok', 'n1 answer 1: ok']);
});
