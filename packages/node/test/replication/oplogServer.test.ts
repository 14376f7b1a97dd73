import { noopOperation } from '@replsim/oplog';
import {
  DEFAULT_COSTS,
  encodeDocument,
  type MemberCommand,
  type MemberResponse,
  OplogEntry,
  RawBson,
} from '@replsim/protocol';
import { openDisk } from '@replsim/storage';
import { expect, test } from 'vitest';
import { decodeMetadata, encodeMetadata } from '../../src/data/checkpointMetadata.ts';
import { RecordKinds } from '../../src/data/journal.ts';
import type { Mongod } from '../../src/mongod.ts';
import { startMongod } from '../../src/startup.ts';

const NOW = { monotonicMicros: 0, wallMs: 1_735_689_600_000 };

/** One of two members, as its disk made it: with a config and one entry. */
async function member(): Promise<Mongod> {
  const members = ['n1:27017', 'n2:27017'].map((host, _id) => ({ _id, host }));
  const document = new RawBson(encodeDocument({ _id: 'rs0', version: 1, term: 1n, members }));
  const entry = new OplogEntry(noopOperation('new primary'), { ts: { t: 1_735_689_600, i: 1 }, t: 1 }, NOW.wallMs);
  const records = [
    { kind: RecordKinds.localDocument, payload: encodeDocument({ ns: 'local.system.replset', document }) },
    { kind: RecordKinds.entry, payload: entry.bytes },
  ];
  const loaded = await (await openDisk()).load();
  const mongod = startMongod(
    {
      host: 'n1:27017',
      mode: 'replSet',
      setName: 'rs0',
      version: '8.0',
      parameters: {},
      costs: DEFAULT_COSTS,
      oplogSizeBytes: 1_000_000,
      idSeed: [1, 2],
      processId: new Uint8Array(12),
      tracing: false,
    },
    { ...loaded, journal: [{ number: 1, records }], nextSegment: 2 },
  );
  mongod.step({ type: 'started' }, NOW);
  return mongod;
}

function ask(mongod: Mongod, command: MemberCommand): MemberResponse['reply'] {
  const message = { kind: 'request', id: 7, from: 'n2:27017', to: 'n1:27017', channel: 'fetch', command } as const;
  const effects = mongod.step({ type: 'message', message }, NOW);
  const sent = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
  return (sent.find(({ kind, id }) => kind === 'response' && id === 7) as MemberResponse).reply;
}

const READS: readonly [what: string, command: MemberCommand][] = [
  ['the first entry', { find: 'oplog.rs', limit: 1 } as MemberCommand],
  ['entries backwards', { find: 'oplog.rs', sort: { $natural: -1 }, batchSize: 10 } as MemberCommand],
];

test.for(READS)(
  '%s can be read from a SECONDARY, and not from a member that rolls back or copies',
  async ([, read]) => {
    const mongod = await member();
    expect(mongod.memberState()).toBe('SECONDARY');
    expect(ask(mongod, read)).toMatchObject({ ok: 1 });
    for (const mode of ['ROLLBACK', 'STARTUP2'] as const) {
      mongod.repl!.follow(mode);
      expect(ask(mongod, read)).toMatchObject({ ok: 0, code: 13436 });
    }
    mongod.repl!.follow('SECONDARY');
    expect(ask(mongod, read)).toMatchObject({ ok: 1 });
  },
);

test('what a checkpoint says of itself comes back', () => {
  const metadata = {
    stable: { ts: { t: 4_000_000_000, i: 7 }, t: 3 },
    unreplicated: 12,
    unreplicatedDropped: 5,
    oplogSizeBytes: 1_038_090_240,
  };
  expect(decodeMetadata(encodeMetadata(metadata))).toEqual(metadata);
  const nothing = decodeMetadata(undefined);
  expect(nothing).toMatchObject({ unreplicated: 0, unreplicatedDropped: 0, oplogSizeBytes: undefined });
  expect(decodeMetadata(encodeMetadata(nothing))).toEqual(nothing);
});
