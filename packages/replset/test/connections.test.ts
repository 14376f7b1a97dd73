import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { afterEach, expect, test } from 'vitest';
import type { ConnectionListener } from '../src/api.ts';
import { ReplSet } from '../src/replSet.ts';

type Doc = Record<string, unknown>;

/** What one client hears. */
class Heard implements ConnectionListener {
  readonly replies = new Map<number, Doc>();
  readonly waits: [requestId: number, forMs: number][] = [];
  isClosed = false;

  reply(requestId: number, reply: Uint8Array): void {
    this.replies.set(requestId, decodePromoted(reply) as Doc);
  }

  awaiting(requestId: number, forMs: number): void {
    this.waits.push([requestId, forMs]);
  }

  closed(): void {
    this.isClosed = true;
  }
}

const bytes = (command: Doc, db = 'app') => encodeDocument({ ...command, $db: db });
let set: ReplSet;
afterEach(() => set.close());

/** A set whose first member is primary, and a connection to one of its members. */
async function connected(to = 'n1') {
  set = await ReplSet.create({ members: [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }] });
  await set.advanceTo(20_000_000);
  const heard = new Heard();
  return { heard, connection: set.connect(to, '10.0.0.1:5', heard)! };
}

/** A hello that is answered only when there is news. */
function awaitable(member: string): Doc {
  const { topologyVersion } = decodePromoted(set.ask(member, bytes({ hello: 1 }, 'admin'))) as {
    topologyVersion: { processId: unknown; counter: number };
  };
  const { processId, counter } = topologyVersion;
  return { hello: 1, topologyVersion: { processId, counter: BigInt(counter) }, maxAwaitTimeMS: 10_000 };
}

const later = (micros = 100_000) => set.advanceTo(set.nowMicros + micros);

test('a request is answered on its connection, one that wants no reply too: whoever speaks for it sends none', async () => {
  const { heard, connection } = await connected();
  const asked = connection.send(bytes({ whatsmyuri: 1 }));
  const unacknowledged = connection.send(bytes({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 0 } }), {
    moreToCome: true,
  });
  await later();
  expect(heard.replies.get(asked)).toMatchObject({ you: '10.0.0.1:5' });
  expect(heard.replies.has(unacknowledged)).toBe(true);
});

test('a member that closes a connection says so, and answers nothing more', async () => {
  const { heard, connection } = await connected('n2');
  const waits = connection.send(bytes(awaitable('n2'), 'admin'));
  await later();
  expect(heard.waits).toEqual([[waits, 10_000]]);
  connection.send(bytes({ insert: 'c', documents: [{}], writeConcern: { w: 0 } }), { moreToCome: true });
  await later();
  expect([heard.isClosed, heard.replies.has(waits)]).toEqual([true, false]);
  const status = decodePromoted(set.ask('n2', bytes({ serverStatus: 1 }, 'admin'))) as { connections: Doc };
  expect(status.connections).toMatchObject({ current: 0 });
});

test('a client that hangs up hears nothing more, and what it had asked for is ended, unless it writes', async () => {
  const { heard, connection } = await connected();
  set.kill('n2');
  set.kill('n3');
  const write = connection.send(bytes({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 2 } }));
  const hello = connection.send(bytes(awaitable('n1'), 'admin'));
  await later(1000);
  connection.close();
  await later();
  expect([heard.isClosed, heard.replies.has(write), heard.replies.has(hello)]).toEqual([false, false, false]);
  const { inprog } = decodePromoted(set.ask('n1', bytes({ currentOp: 1, desc: 'conn1' }, 'admin'))) as {
    inprog: Doc[];
  };
  expect(inprog).toMatchObject([{ command: { insert: 'c' } }]);
  expect(decodePromoted(set.ask('n1', bytes({ count: 'c' })))).toMatchObject({ n: 1 });
});

test('a process that ends closes its connections, and the next life counts from one again', async () => {
  const { heard } = await connected();
  set.kill('n1');
  expect(heard.isClosed).toBe(true);
  expect(set.connect('n1', '10.0.0.1:6', new Heard())).toBeUndefined();
  await set.start('n1');
  expect(set.connect('n1', '10.0.0.1:6', new Heard())!.connectionId).toBe(1);
});
