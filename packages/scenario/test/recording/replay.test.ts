import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import { type RecordedInput, ReplSet, type ReplSetOptions } from '@replsim/replset';
import { Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseScenario,
  playScenario,
  recordedStep,
  recordingHeader,
  traceLine,
  writeRecording,
} from '../../src/index.ts';
import { type RecordingConnection, RecordingDriver } from './recorder.ts';

const SET: ReplSetOptions = {
  seed: 7,
  setName: 'rs7',
  epochMs: Date.UTC(2026, 10, 21, 12, 0, 0, 123),
  members: [
    { name: 'n1', host: '127.0.0.1:27017', config: { priority: 2 } },
    { name: 'n2', host: '127.0.0.1:27018', clock: { offsetMs: -1500 } },
    { name: 'n3', host: '127.0.0.1:27019', parameters: { ttlMonitorSleepSecs: 3 } },
  ],
  settings: { electionTimeoutMillis: 2000 },
  parameters: { ttlMonitorSleepSecs: 5 },
};
const NAMES = SET.members.map(({ name }) => name);

/** A client outside: what it needs to remember to say the next thing. */
interface Client {
  readonly connection: RecordingConnection;
  readonly awaiting: number[];
  cursor: Long | undefined;
  topologyVersion: unknown;
}

/** What somebody does to a set from outside, told to a recording as it is done. */
class Outsiders extends RecordingDriver {
  readonly clients: Client[] = [];
  readonly lines: string[] = [];
  readonly replies: Record<string, unknown>[] = [];
  opened = 0;
  inserted = 0;
  awaitsEnded = 0;

  constructor(set: ReplSet) {
    super(set);
    set.onTrace((event) => this.lines.push(traceLine(event)));
  }

  join(member: string): void {
    let client: Client | undefined;
    const connection = this.connect(member, `127.0.0.1:${50_000 + this.opened++}`, {
      reply: (_, bytes) => {
        const reply = decodePromoted(bytes);
        this.replies.push(reply);
        if (reply.cursor) client!.cursor = Long.fromString(String(reply.cursor.id));
        if (reply.topologyVersion) client!.topologyVersion = reply.topologyVersion;
      },
      awaiting: (requestId) => client!.awaiting.push(requestId),
      closed: () => this.#forget(client!),
    });
    if (connection === undefined) return;
    client = { connection, awaiting: [], cursor: undefined, topologyVersion: undefined };
    this.clients.push(client);
  }

  send(client: Client, command: object, flags?: { exhaustAllowed?: boolean; moreToCome?: boolean }): void {
    client.connection.send(encodeDocument(command), flags);
  }

  awaitEnded(client: Client): void {
    const requestId = client.awaiting.shift();
    if (requestId === undefined) return;
    this.awaitsEnded++;
    client.connection.awaitEnded(requestId);
  }

  hangUp(client: Client): void {
    client.connection.close();
    this.#forget(client);
  }

  recording(name: string): string {
    return writeRecording({ name, setOptions: SET, records: this.records, untilMicros: this.set.nowMicros });
  }

  #forget(client: Client): void {
    this.clients.splice(this.clients.indexOf(client), 1);
  }
}

type Deed = (outsiders: Outsiders, pick: number) => void | Promise<void>;
const member = (pick: number) => NAMES[pick % NAMES.length]!;
const onClient =
  (deed: (outsiders: Outsiders, client: Client, pick: number) => void): Deed =>
  (outsiders, pick) => {
    const { clients } = outsiders;
    if (clients.length > 0) deed(outsiders, clients[pick % clients.length]!, pick);
    else outsiders.join(member(pick));
  };
const sending = (command: (outsiders: Outsiders, client: Client, pick: number) => object) =>
  onClient((outsiders, client, pick) => outsiders.send(client, command(outsiders, client, pick)));

const LINK = { latencyMs: [1, 30], loss: 0.1 } as const;
const othersThan = (name: string) => NAMES.filter((each) => each !== name);
const faulting =
  (
    input: (name: string, other: string) => RecordedInput,
    act: (set: ReplSet, name: string, other: string) => void | Promise<void>,
  ): Deed =>
  (outsiders, pick) => {
    const ends = [member(pick), member(pick + 1)] as const;
    return outsiders.does(input(...ends), (set) => act(set, ...ends));
  };

const DEEDS: Record<string, Deed> = {
  connect: (outsiders, pick) => outsiders.join(member(pick)),
  insert: sending((outsiders, _, pick) => ({
    insert: 'orders',
    documents: [{ _id: outsiders.inserted++, text: `it's $now: "${pick}"`, at: new Date(1_796_000_000_000) }],
    writeConcern: { w: pick % 2 ? 'majority' : 1, wtimeout: 5000 },
    $db: 'app',
  })),
  insertMany: sending((outsiders) => ({
    insert: 'orders',
    documents: Array.from(
      { length: 20 },
      () =>
        new Map<string, unknown>([
          ['_id', outsiders.inserted++],
          ['2', 'b'],
          ['1', 'a'],
        ]),
    ),
    $db: 'app',
  })),
  insertLarge: sending((outsiders) => ({
    insert: 'orders',
    documents: [{ _id: outsiders.inserted++, text: 'x'.repeat(70_000) }],
    $db: 'app',
  })),
  unacknowledged: onClient((outsiders, client) =>
    outsiders.send(
      client,
      { insert: 'orders', documents: [{ _id: outsiders.inserted++ }], writeConcern: { w: 0 }, $db: 'app' },
      { moreToCome: true },
    ),
  ),
  createIndex: sending(() => ({
    createIndexes: 'orders',
    indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 1 }],
    $db: 'app',
  })),
  find: sending(() => ({ find: 'orders', batchSize: 2, $readPreference: { mode: 'secondaryPreferred' }, $db: 'app' })),
  getMore: sending((_, { cursor }) => ({
    getMore: cursor ?? Long.ONE,
    collection: 'orders',
    batchSize: 2,
    $db: 'app',
  })),
  hello: sending(() => ({ hello: 1, helloOk: true, $db: 'admin' })),
  awaitableHello: onClient((outsiders, client) => {
    const { topologyVersion } = client;
    if (topologyVersion === undefined) return outsiders.send(client, { hello: 1, $db: 'admin' });
    outsiders.send(
      client,
      { hello: 1, topologyVersion, maxAwaitTimeMS: 10_000, $db: 'admin' },
      { exhaustAllowed: true },
    );
  }),
  awaitEnded: onClient((outsiders, client) => outsiders.awaitEnded(client)),
  stepDown: sending(() => ({ replSetStepDown: 2, force: true, $db: 'admin' })),
  malformed: onClient((_, { connection }) => void connection.send(encodeDocument({ $db: 'app' }))),
  hangUp: onClient((outsiders, client) => outsiders.hangUp(client)),
  command: (outsiders, pick) => {
    if (outsiders.set.status(member(pick)).running)
      outsiders.command(member(pick), encodeDocument({ replSetFreeze: 1, $db: 'admin' }));
  },
  kill: faulting(
    (name) => ({ type: 'kill', member: name }),
    (set, name) => set.kill(name),
  ),
  shutdown: faulting(
    (name) => ({ type: 'shutdown', member: name }),
    (set, name) => set.shutdown(name),
  ),
  start: (outsiders, pick) =>
    outsiders.set.status(member(pick)).running
      ? undefined
      : outsiders.start(member(pick), pick % 3 === 0 ? { wipe: true } : { parameters: { ttlMonitorSleepSecs: 2 } }),
  refusedStart: async (outsiders, pick) => {
    if (outsiders.set.status(member(pick)).running) return;
    await expect(outsiders.start(member(pick), { parameters: { noSuchParameter: 1 } })).rejects.toThrow();
  },
  pause: faulting(
    (name) => ({ type: 'pause', member: name }),
    (set, name) => set.pause(name),
  ),
  resume: faulting(
    (name) => ({ type: 'resume', member: name }),
    (set, name) => set.resume(name),
  ),
  hold: faulting(
    (name) => ({ type: 'hold', member: name, part: 'fetch' }),
    (set, name) => set.hold(name, 'fetch'),
  ),
  release: faulting(
    (name) => ({ type: 'release', member: name, part: 'fetch' }),
    (set, name) => set.release(name, 'fetch'),
  ),
  partition: faulting(
    (name) => ({ type: 'partition', groups: [[name], othersThan(name)] }),
    (set, name) => set.partition([[name], othersThan(name)]),
  ),
  cut: faulting(
    (from, to) => ({ type: 'cut', from, to }),
    (set, from, to) => set.cut(from, to),
  ),
  disconnect: faulting(
    (from, to) => ({ type: 'disconnect', from, to }),
    (set, from, to) => set.disconnect(from, to),
  ),
  heal: faulting(
    (name) => ({ type: 'heal', members: [name] }),
    (set, name) => set.heal([name]),
  ),
  healAll: faulting(
    () => ({ type: 'heal', members: 'all' }),
    (set) => set.heal('all'),
  ),
  link: faulting(
    (from, to) => ({ type: 'link', from, to, settings: LINK }),
    (set, from, to) => set.link(from, to, LINK),
  ),
  jumpClock: faulting(
    (name) => ({ type: 'clock', member: name, jumpMs: -1234 }),
    (set, name) => set.jumpClock(name, -1234),
  ),
  driftClock: faulting(
    (name) => ({ type: 'clock', member: name, driftPpm: 12 }),
    (set, name) => set.driftClock(name, 12),
  ),
  disk: faulting(
    (name) => ({ type: 'disk', member: name, settings: { latencyMs: 7 } }),
    (set, name) => set.disk(name, { latencyMs: 7 }),
  ),
};

interface Done {
  readonly deed: string;
  readonly pick: number;
  readonly afterMicros: number;
}

/** Clients have more to say than faults happen, and often say it at once. */
const OFTEN = [
  'connect',
  'insert',
  'insertMany',
  'find',
  'getMore',
  'hello',
  'awaitableHello',
  'awaitEnded',
  'start',
  'healAll',
];
const anyDeed: fc.Arbitrary<Done> = fc.record({
  deed: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...OFTEN) }, fc.constantFrom(...Object.keys(DEEDS))),
  pick: fc.nat(10_000),
  afterMicros: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(50_000), fc.nat(3_000_000)),
});

/** Records a run in which these things were done. The set has a primary when the first of them is. */
async function record(done: readonly Done[], options = SET): Promise<Outsiders> {
  const set = await ReplSet.create(options);
  const outsiders = new Outsiders(set);
  await set.advanceTo(5_000_001);
  outsiders.join('n1');
  for (const { deed, pick, afterMicros } of done) {
    await set.advanceTo(set.nowMicros + afterMicros);
    await DEEDS[deed]!(outsiders, pick);
  }
  await set.advanceTo(set.nowMicros + 3_000_000);
  await set.close();
  return outsiders;
}

/** The trace of a recording's own run. */
async function replay(text: string): Promise<string[]> {
  const lines: string[] = [];
  const onTrace = (event: TraceEvent) => lines.push(traceLine(event));
  const result = await playScenario(parseScenario(text, 'recording.yaml'), (each) => ReplSet.create(each), { onTrace });
  expect(result.failure).toBeUndefined();
  return lines;
}

test('a recording is the run again: every line of the trace', { timeout: 120_000 }, async () => {
  const seen = { replies: 0, cursors: 0, awaitsEnded: 0, elections: 0, hungUp: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(anyDeed, { minLength: 30, maxLength: 60 }), async (done) => {
      const live = await record(done);
      expect(await replay(live.recording('Any run'))).toEqual(live.lines);
      seen.replies += live.replies.length;
      seen.cursors += live.replies.filter(({ cursor }) => (cursor as { nextBatch?: object })?.nextBatch).length;
      seen.awaitsEnded += live.awaitsEnded;
      seen.elections += live.lines.filter((line) => line.includes('"electionWon"')).length - 1;
      seen.hungUp += live.records.filter(({ type }) => type === 'hangUp').length;
    }),
    { seed: 16, numRuns: 12 },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

describe('each of the things alone', () => {
  test.for(Object.keys(DEEDS))('%s', async (deed) => {
    const around = [
      { deed: 'hello', pick: 0, afterMicros: 10 },
      { deed: 'insertMany', pick: 0, afterMicros: 10 },
      { deed: 'find', pick: 0, afterMicros: 100_000 },
      // A start needs somebody who is down.
      ...(deed.toLowerCase().endsWith('start') ? [{ deed: 'kill', pick: 3, afterMicros: 200 }] : []),
    ];
    const live = await record([...around, { deed, pick: 3, afterMicros: 123_457 }]);
    expect(await replay(live.recording('One thing'))).toEqual(live.lines);
  });
});

test('recorded on real disks, replayed in memory', async () => {
  const dbpath = mkdtempSync(join(tmpdir(), 'replsim-recording-'));
  try {
    const done = ['insertMany', 'kill', 'insert', 'insertMany', 'start', 'find'];
    const live = await record(
      done.map((deed, index) => ({ deed, pick: 1 + 3 * index, afterMicros: 400_001 })),
      { ...SET, dbpath },
    );
    expect(live.lines.some((line) => line.includes('"processStopped"'))).toBe(true);
    expect(await replay(live.recording('On disks'))).toEqual(live.lines);
  } finally {
    rmSync(dbpath, { recursive: true });
  }
});

test('what was written when the writing broke off is a recording of the beginning', async () => {
  const live = await record(fc.sample(anyDeed, { seed: 3, numRuns: 30 }));
  const { records } = live;
  const text = recordingHeader('Broken off', SET) + records.map(recordedStep).slice(0, 12).join('');
  const lines = await replay(text);
  expect(lines.length).toBeGreaterThan(50);
  expect(live.lines.slice(0, lines.length)).toEqual(lines);
  const first = await replay(recordingHeader('At once', SET));
  expect(live.lines.slice(0, first.length)).toEqual(first);
});

test('steps of a person at the end: a recording is a scenario like others', async () => {
  const live = await record([{ deed: 'insert', pick: 1, afterMicros: 1000 }]);
  const edited = `${live.recording('An order arrives')}
  - expect: { on: primary, count: app.orders, is: 1 }
  - insert: { into: app.orders, documents: [{ _id: mine }] }
  - eventually: { within: 5s, on: all, count: app.orders, is: 2 }
`;
  const lines = await replay(edited);
  expect(lines.slice(0, live.lines.length)).toEqual(live.lines);
  expect(lines.length).toBeGreaterThan(live.lines.length);
  const wrong = parseScenario(edited.replace('is: 1', 'is: 3'), 'edited.yaml');
  const { failure } = await playScenario(wrong, (options) => ReplSet.create(options));
  expect(failure).toMatchObject({ asked: 'count 3, on n1', got: '1' });
});
