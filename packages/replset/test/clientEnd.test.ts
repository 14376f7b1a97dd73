import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { Answer } from '../src/api.ts';
import { type Behaviour, fakeSet } from './fakes.ts';

const PING = encodeDocument({ ping: 1, $db: 'admin' });
const OK = encodeDocument({ ok: 1 });

/** Answers commands at once. */
const answering: Behaviour = (event) =>
  event.type === 'command' ? [{ type: 'reply', requestId: event.requestId, reply: OK }] : [];
/** Takes commands and never answers. */
const silent: Behaviour = () => [];

/** A client that notes when what came. */
async function client(behave: Behaviour, near?: string) {
  const { set, story } = await fakeSet(behave);
  const end = set.client('c', near);
  const answers: string[] = [];
  const note = (answer: Answer) =>
    answers.push(`${end.nowMicros} ${answer.kind}${answer.kind === 'reply' ? '' : ` ${answer.errmsg}`}`);
  return { set, story, end, answers, send: (host: string) => end.send(`${host}:27017`, PING, note) };
}

test('a client outside reaches a process at once, through any partition', async () => {
  const { set, answers, send } = await client(answering);
  set.partition([['n1'], ['n2', 'n3']]);
  send('n1');
  expect(answers).toEqual([]);
  await set.advanceTo(1);
  expect(answers).toEqual(['0 reply']);
});

test('a client near a member takes that one’s way to the others, there and back', async () => {
  const { set, answers, send } = await client(answering, 'n1');
  send('n1');
  send('n2');
  await set.advanceTo(10_000);
  expect(answers).toEqual(['0 reply', '2000 reply']);
  set.link('n1', 'n2', { latencyMs: [5, 5] });
  send('n2');
  await set.advanceTo(20_000);
  expect(answers[2]).toBe('16000 reply');
});

test('what a partition swallows is sent again, each time after twice as long, and arrives after it has healed', async () => {
  const { set, story, answers, send } = await client(answering, 'n1');
  set.partition([['n1'], ['n2', 'n3']]);
  send('n2');
  await set.advanceTo(1_000_000);
  set.heal('all');
  await set.advanceTo(3_000_000);
  // At 0, 200, 600 and 1,400 ms.
  expect(story(true)).toEqual(['1401000 n2 command 1']);
  expect(answers).toEqual(['1402000 reply']);
});

test('an answer that is under way when the wall goes up comes later too', async () => {
  const { set, answers, send } = await client(answering, 'n1');
  send('n2');
  await set.advanceTo(1_500);
  set.cut('n2', 'n1');
  await set.advanceTo(100_000);
  expect(answers).toEqual([]);
  set.heal('all');
  await set.advanceTo(300_000);
  expect(answers).toEqual(['203000 reply']);
});

test('a request that is given up is not sent again, nor answered', async () => {
  const { set, story, answers, send } = await client(answering, 'n1');
  set.partition([['n1'], ['n2', 'n3']]);
  const giveUpFirst = send('n2');
  giveUpFirst();
  set.heal('all');
  const giveUpSecond = send('n3');
  await set.advanceTo(1_500);
  giveUpSecond();
  await set.advanceTo(1_000_000);
  expect(story()).toEqual(['n3 command 1']);
  expect(answers).toEqual([]);
});

test.for([
  ['outside', undefined, '0', '5000'],
  ['near n1', 'n1', '2000', '6000'],
] as const)('refused by a dead process, broken off by a dying one: %s', async ([, near, refused, closed]) => {
  const { set, answers, send } = await client(silent, near);
  set.kill('n3');
  send('n3');
  send('n2');
  await set.advanceTo(5_000);
  set.kill('n2');
  await set.advanceTo(9_000);
  expect(answers).toEqual([
    `${refused} refused n3:27017: connection refused`,
    `${closed} closed n2:27017: connection closed by peer`,
  ]);
});

test('a host that nobody knows is refused', async () => {
  const { set, answers, send } = await client(answering);
  send('stranger');
  await set.advanceTo(1);
  expect(answers).toEqual(['0 refused stranger:27017: host not found']);
});

test('a process that was restarted meanwhile does not know the connection', async () => {
  const { set, story, answers, send } = await client(answering, 'n1');
  send('n2');
  await set.advanceTo(500);
  set.kill('n2');
  await set.start('n2');
  await set.advanceTo(5_000);
  expect(story()).toEqual([]);
  expect(answers).toEqual(['2000 closed n2:27017: connection closed by peer']);
});

test('timers fall due in virtual time, unless they are taken back', async () => {
  const { set, end } = await client(answering);
  const fired: number[] = [];
  end.schedule(3_000, () => fired.push(end.nowMicros));
  end.schedule(4_000, () => fired.push(end.nowMicros))();
  await set.advanceTo(10_000);
  expect(fired).toEqual([3_000]);
});
