import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Behaviour, fakeSet } from './fakes.ts';

/** Answers every command with this reply. */
const answering =
  (reply: object): Behaviour =>
  (event) =>
    event.type === 'command' ? [{ type: 'reply', requestId: event.requestId, reply: encodeDocument(reply) }] : [];

test('the first member of the config initiates the set at time zero', async () => {
  const { set, seen } = await fakeSet(answering({ ok: 1 }), {
    initiate: true,
    setName: 'rs7',
    settings: { electionTimeoutMillis: 5_000 },
    members: [
      { name: 'n0', standalone: true },
      { name: 'n1', spare: true },
      { name: 'n2' },
      { name: 'n3', config: { priority: 0, hidden: true, tags: { dc: 'east' } } },
    ],
  });
  await set.advanceTo(0);
  const commands = seen.filter(({ event }) => event.type === 'command');
  expect(commands).toMatchObject([{ atMicros: 0, name: 'n2' }]);
  const [{ event } = { event: undefined }] = commands;
  expect(event?.type === 'command' && decodePromoted(event.command)).toEqual({
    replSetInitiate: {
      _id: 'rs7',
      members: [
        { _id: 0, host: 'n2:27017' },
        { _id: 1, host: 'n3:27017', priority: 0, hidden: true, tags: { dc: 'east' } },
      ],
      settings: { electionTimeoutMillis: 5_000 },
    },
    $db: 'admin',
  });
});

test('a config that is refused stops the run, a member that the script has killed does not', async () => {
  const refused = await fakeSet(answering({ ok: 0, code: 93, errmsg: 'no member is electable' }), { initiate: true });
  await expect(refused.set.advanceTo(1)).rejects.toThrow('replSetInitiate failed: no member is electable');
  const killed = await fakeSet(() => [], { initiate: true });
  killed.set.kill('n1');
  await killed.set.advanceTo(1);
});
