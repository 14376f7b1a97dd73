import { BSON, type ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

// What a client is told by an error must have been raised before, and be pushed by a hello.

/** A set's primary with a client whose monitor waits for news and who inserts many documents. */
class Watched {
  readonly member: LoneMember;
  readonly before: number;
  readonly #hello: number;
  readonly #insert: number;

  constructor(member: LoneMember) {
    this.member = member;
    this.before = member.counter;
    this.#hello = member.sendOn(member.open(), awaitable(member));
    const documents = Array.from({ length: 5000 }, (_, _id) => ({ _id }));
    const insert = { insert: 'c', documents, lsid: { id: new BSON.UUID(new Uint8Array(16)) }, txnNumber: 1n };
    this.#insert = member.sendOn(member.open(), insert, {}, 'app');
    member.advance(5);
  }

  /** After each event: whoever was told by an error of a change was told by hello in the same step at the latest. */
  watch(): void {
    this.member.watch = () => {
      if (this.member.replies.has(this.#insert)) expect(this.member.replies.has(this.#hello)).toBe(true);
    };
  }

  get error(): Doc | undefined {
    return this.member.replies.get(this.#insert);
  }

  get told(): Doc | undefined {
    return this.member.replies.get(this.#hello);
  }
}

function awaitable(member: LoneMember): Doc {
  const { processId, counter } = member.hello().topologyVersion as { processId: ObjectId; counter: number };
  return { hello: 1, topologyVersion: { processId, counter: BSON.Long.fromNumber(counter) }, maxAwaitTimeMS: 10_000 };
}

function counterOf(reply: Doc | undefined): number {
  return Number((reply?.topologyVersion as { counter: number } | undefined)?.counter);
}

describe('a write that a change of state ends carries a counter that was raised and pushed', () => {
  test.for([
    {
      what: 'a step-down',
      happens: (member: LoneMember) => void member.send({ replSetStepDown: 60, force: true }),
      code: 11602,
    },
    {
      what: 'a later term',
      happens: (member: LoneMember) => void member.vote(1, { term: 9, dryRun: false }),
      code: 11602,
    },
    { what: 'a shutdown', happens: (member: LoneMember) => member.signal(), code: 11602 },
  ])('$what: $code', ({ happens, code }) => {
    const watched = new Watched(LoneMember.primary(2));
    watched.watch();
    happens(watched.member);
    watched.member.advance(100);
    expect(watched.error).toMatchObject({ ok: 0, code, errorLabels: ['RetryableWriteError'] });
    expect(watched.told).toMatchObject({ ok: 1, isWritablePrimary: false });
    expect(counterOf(watched.error)).toBeGreaterThan(watched.before);
    expect(counterOf(watched.told)).toBeGreaterThanOrEqual(counterOf(watched.error));
  });
});

describe('what ends at a shutdown', () => {
  const ENDED = { ok: 0, code: 11600, codeName: 'InterruptedAtShutdown' };

  test('without quiesce mode no counter was raised, and none is told', () => {
    const watched = new Watched(LoneMember.primary(0));
    watched.watch();
    watched.member.signal();
    watched.member.advance(100);
    expect(watched.error).toMatchObject({ ...ENDED, errorLabels: ['RetryableWriteError'] });
    expect(watched.told).toMatchObject(ENDED);
    for (const reply of [watched.error, watched.told]) expect(reply).not.toHaveProperty('topologyVersion');
    expect(watched.member.exited).toBe(true);
  });

  test('after quiesce mode the counter is the one that clients were told of by it', () => {
    const member = LoneMember.initiated(2);
    const waiting = member.send({ waitForFailPoint: 'failCommand', timesEntered: 1, maxTimeMS: 60_000 });
    member.signal();
    member.advance(20_000);
    const { counter } = member;
    expect(member.replies.get(waiting)).toMatchObject({ ...ENDED, topologyVersion: { counter } });
  });
});

test('at a shutdown a waiting hello is refused at once, and so is the next', () => {
  const member = LoneMember.initiated(2);
  const before = member.counter;
  const connection = member.open();
  const hello = member.sendOn(connection, awaitable(member));
  member.advance(1);
  member.signal();
  expect(member.replies.get(hello)).toMatchObject({ ok: 0, code: 91, codeName: 'ShutdownInProgress' });
  expect(counterOf(member.replies.get(hello))).toBe(before + 1);
  expect(member.runOn(connection, { hello: 1 })).toMatchObject({ code: 91, remainingQuiesceTimeMillis: 15_000 });
});

describe('errors of a change of state carry topologyVersion at top level', () => {
  const INSERT = { insert: 'c', documents: [{}] };
  test.for([
    { what: 'a write on a secondary', command: INSERT, code: 10107 },
    { what: 'a read on a secondary', command: { find: 'c' }, code: 13435 },
  ])('$what: $code', ({ command, code }) => {
    const member = LoneMember.initiated(2);
    const reply = member.run(command, 'app');
    expect(reply).toMatchObject({ ok: 0, code });
    expect(counterOf(reply)).toBe(member.counter);
  });

  test('a read while recovering: 13436', () => {
    const member = LoneMember.initiated(2);
    member.run({ replSetMaintenance: true });
    const reply = member.run({ find: 'c', $readPreference: { mode: 'nearest' } }, 'app');
    expect(reply).toMatchObject({ code: 13436 });
    expect(counterOf(reply)).toBe(member.counter);
  });

  test.for([6, 50, 91, 112, 189, 10107, 11600, 11601, 11602, 13435, 13436])('a fail point with code %i', (code) => {
    const member = LoneMember.primary(0);
    const point = { configureFailPoint: 'failCommand', mode: 'alwaysOn' };
    // Those of a shutdown do only once the member quiesces.
    const tells = ![6, 50, 91, 112, 11600, 11601].includes(code);
    member.run({ ...point, data: { failCommands: ['insert'], errorCode: code } });
    expect(counterOf(member.run(INSERT, 'app'))).toBe(tells ? member.counter : Number.NaN);
    member.run({ ...point, data: { failCommands: ['insert'], writeConcernError: { code, errmsg: 'made up' } } });
    const reply = member.run(INSERT, 'app');
    expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code } });
    expect(counterOf(reply)).toBe(tells ? member.counter : Number.NaN);
  });

  test.for([91, 11600])('in quiesce mode a fail point with code %i', (code) => {
    const member = LoneMember.initiated(2);
    const data = { failCommands: ['ping'], errorCode: code };
    member.run({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    expect(member.run({ ping: 1 })).not.toHaveProperty('topologyVersion');
    member.signal();
    expect(counterOf(member.run({ ping: 1 }))).toBe(member.counter);
  });

  test('other errors do not', () => {
    expect(LoneMember.primary(0).run({ nope: 1 })).not.toHaveProperty('topologyVersion');
  });
});
