import { readFileSync } from 'node:fs';
import { OplogEntry, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { Decimal128, Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { parseScenario } from '../src/language/parse.ts';
import { playScenario } from '../src/play.ts';
import { packedOf, packedText } from '../src/recording/packedText.ts';
import { entriesOf, TracePacker, TraceUnpacker } from '../src/recording/packedTrace.ts';
import { traceLine } from '../src/transcript/traceLine.ts';

async function traceOf(file: string): Promise<TraceEvent[]> {
  const text = readFileSync(new URL(`../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
  const events: TraceEvent[] = [];
  const create = (setup: Parameters<typeof ReplSet.create>[0]) => ReplSet.create({ ...setup, causes: true });
  await playScenario(parseScenario(text, file), create, { onTrace: (event) => events.push(event) });
  return events;
}

/** In parts of a few events each, over a line of text. */
function sent(events: readonly TraceEvent[]): TraceEvent[] {
  const packer = new TracePacker();
  const unpacker = new TraceUnpacker();
  const arrived: TraceEvent[] = [];
  for (let at = 0; at < events.length; at += 100) {
    const line = packedText(packer.pack(events.slice(at, at + 100)));
    expect(line).not.toContain('\n');
    arrived.push(...unpacker.unpack(packedOf(line)));
  }
  return arrived;
}

test.for([
  'rollback/files-keep-what-is-taken-away',
  'election/log-tells-a-failover',
  'concerns/retry-after-a-rollback',
])('%s: a trace is the same after a line of text, and its entries are shared', async (file) => {
  const events = await traceOf(file);
  const arrived = sent(events);
  expect(arrived.map(traceLine)).toEqual(events.map(traceLine));
  expect(new Set(arrived.flatMap(entriesOf)).size).toBe(new Set(events.flatMap(entriesOf)).size);
});

test('what JSON has no word for arrives: bytes, dates, long numbers, values of BSON', () => {
  const statement = { lsid: Uint8Array.of(1, 2), txnNumber: 2n ** 62n, stmtId: 0 };
  const operation = { op: 'i', ns: 'a.b', o: Uint8Array.of(5, 0, 0, 0, 0), statement } as const;
  const opTime = { ts: { t: 1, i: 1 }, t: 1 };
  const attr = {
    at: new Date(7),
    bytes: Uint8Array.of(9),
    values: [
      new ObjectId('0123456789abcdef01234567'),
      Long.fromString('9007199254740993'),
      Decimal128.fromString('1.5'),
    ],
    plain: { bytes: 'no bytes', none: null },
    one: { $date: 'a field of a filter' },
  };
  const line = { severity: 'I', component: 'COMMAND', id: 1, ctx: 'conn1', msg: 'x', attr } as const;
  const events: TraceEvent[] = [
    {
      atMicros: 1,
      member: 'n1',
      type: 'oplogWritten',
      entries: [new OplogEntry(operation, opTime, 3)],
      origin: 'self',
      acceptsWrites: true,
    },
    { atMicros: 2, member: 'n1', type: 'log', line, wallMs: 3 },
  ];
  const [written, log] = sent(events);
  expect(written && entriesOf(written)[0]?.operation).toEqual(operation);
  expect(log?.type === 'log' && log.line).toEqual(line);
});
