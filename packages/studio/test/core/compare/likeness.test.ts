import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { traceLine } from '@replsim/scenario';
import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { figureRows } from '../../../src/core/compare/figureRows.ts';
import { figuresOf } from '../../../src/core/compare/figures.ts';
import { likenessOf } from '../../../src/core/compare/likeness.ts';
import { isSameEvent } from '../../../src/core/compare/sameEvent.ts';
import { type Traced, tracedPlayer } from '../../../src/core/compare/tracedPlayer.ts';
import { differing } from '../../../src/core/edit/differing.ts';
import { ScenarioPlayer } from '../../../src/core/run/play.ts';
import { Packer, Unpacker } from '../../../src/core/run/wire.ts';

const read = (file: string) =>
  readFileSync(new URL(`../../../../../scenarios/${file}.yaml`, import.meta.url), { encoding: 'utf8' });
const failover = read('election/failover-on-kill');

/** As the page gets it: through a wire. */
async function traced(text: string, seed?: number): Promise<Traced> {
  const found: Traced[] = [];
  const packer = new Packer();
  const unpacker = new Unpacker();
  const inner = new ScenarioPlayer();
  const wired: Pick<ScenarioPlayer, 'play'> = {
    play: (what, asked, hear) =>
      inner.play(what, asked, (slice) => hear(unpacker.unpack(structuredClone(packer.pack(slice))))),
  };
  await tracedPlayer(wired, (each) => found.push(each)).play(text, seed, () => {});
  return found[0]!;
}

const [first, again, second] = [await traced(failover), await traced(failover), await traced(failover, 2)];

test('the same run is the same, event by event', () => {
  expect(likenessOf(first, again)).toEqual({
    began: undefined,
    equal: first.events.length,
    parted: undefined,
    told: undefined,
  });
});

test('two seeds: what they began with is said, and is not yet the difference', () => {
  const { began, equal, parted, told } = likenessOf(first, second);
  const lines = [first, second].map(({ events }) => events.map(traceLine));
  const index = lines[0]!.findIndex((line, i) => i > 0 && line !== lines[1]![i]);
  expect(began).toBe('they began differently:\n    seed is 1 in the first, 2 in the second\n');
  expect(parted).toMatchObject({ number: index + 1, words: expect.stringMatching(/^ {2}n\d turn, at /) });
  expect(equal).toBe(index - 1);
  expect(parted!.atMicros).toBe(Math.min(first.events[index]!.atMicros, second.events[index]!.atMicros));
  const at = first.lines.findIndex(({ text }, i) => i > 0 && text !== second.lines[i]?.text);
  expect(told).toEqual({
    one: first.lines[at],
    other: second.lines[at],
    atMicros: Math.min(first.lines[at]!.atMicros, second.lines[at]!.atMicros),
  });
  expect(told!.atMicros).toBeGreaterThan(parted!.atMicros);
});

test('a write concern: the runs part at the first write', async () => {
  const edited = differing(failover, { kind: 'writeConcern', w: '1' });
  const { began, parted } = likenessOf(first, await traced('text' in edited ? edited.text : ''));
  const insert = first.events.find((event) => event.type === 'step' && event.text.startsWith('insert'))!;
  expect(began).toBeUndefined();
  expect(parted?.atMicros).toBe(insert.atMicros);
});

test('a run that ends before the other', () => {
  const short = { events: first.events.slice(0, -1), lines: first.lines.slice(0, -1) };
  const { parted, told, equal } = likenessOf(first, short);
  expect(equal).toBe(short.events.length);
  expect(parted).toMatchObject({
    number: first.events.length,
    atMicros: first.events.at(-1)!.atMicros,
    words: expect.stringMatching(/^ {2}the second has ended, the first continues: runEnded at /),
  });
  expect(told).toMatchObject({ one: first.lines.at(-1), other: undefined });
});

describe('an event is the same exactly if its line is', () => {
  const seen = new Map<string, TraceEvent>();
  for (const { events } of [first, second])
    for (const event of events) if (!seen.has(event.type)) seen.set(event.type, event);

  test.for([...seen])('%s', ([, event]) => {
    expect(isSameEvent(event, structuredClone({ ...event, entries: undefined } as never))).toBe(!('entries' in event));
    for (const changed of changesOf(event))
      expect(isSameEvent(event, changed)).toBe(traceLine(event) === traceLine(changed));
  });

  test('values of BSON’s classes, dates, maps and bytes', () => {
    const log = first.events.find((event) => event.type === 'log')!;
    const logged = (value: unknown) => ({ ...log, line: { ...log.line, attr: { value } } }) as TraceEvent;
    const values = [
      ...[1, 2].map((i) => () => new Timestamp({ t: 1, i })),
      ...[1, 2].map((i) => () => new Date(i)),
      ...[1, 2].map((i) => () => new Map([['a', i]])),
      ...[1, 2].map((i) => () => new Uint8Array([i])),
      ...[1, 2].map((i) => () => [i]),
      ...[1n, 2n].map((i) => () => i),
      () => ({ a: undefined, b: 1 }),
      () => ({ b: 1 }),
      () => ({ a: 1 }),
      () => undefined,
    ];
    for (const one of values)
      for (const other of values) {
        const [a, b] = [logged(one()), logged(other())];
        expect(isSameEvent(a, b), `${traceLine(a)} ${traceLine(b)}`).toBe(traceLine(a) === traceLine(b));
      }
  });

  /** The event with one field after the other left away, and each number and text changed. */
  function changesOf(event: TraceEvent): readonly TraceEvent[] {
    return Object.entries(event).flatMap(([name, value]) => {
      const { [name]: _, ...without } = event as unknown as Record<string, unknown>;
      const changed = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : undefined;
      if (name === 'type' || name === 'atMicros') return [{ ...event, [name]: changed } as TraceEvent];
      return [without as unknown as TraceEvent, { ...event, [name]: changed } as TraceEvent];
    });
  }
});

describe('figures', () => {
  test('of a failover', () => {
    const figures = figuresOf(first.events, first.played.virtualMicros);
    expect(figures).toMatchObject({ elections: 2, lost: 0, ttlDeletions: 0, events: first.events.length });
    const accepts = first.events.filter((event) => event.type === 'acceptsWrites' && event.value);
    const killed = first.events.find(({ type }) => type === 'processStopped')!;
    const orphaned = accepts[1]!.atMicros - killed.atMicros;
    expect(figures.longestWithoutPrimaryMicros).toBe(Math.max(accepts[0]!.atMicros, orphaned));
    expect(figures.withoutPrimaryMicros).toBe(accepts[0]!.atMicros + orphaned);
  });

  test('an acknowledged write that a rollback takes is lost', async () => {
    const run = await traced(read('rollback/files-keep-what-is-taken-away'));
    const { acknowledged, lost } = figuresOf(run.events, run.played.virtualMicros);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(acknowledged);
  });

  test('what TTL deletes is counted once, where it was deleted', async () => {
    const run = await traced(read('ttl/cut-off-secondary-keeps-expired-documents'));
    const passes = run.events.flatMap((event) => (event.type === 'ttlPassEnded' ? [event.deleted] : []));
    const deleted = passes.reduce((sum, each) => sum + each, 0);
    expect(deleted).toBeGreaterThan(0);
    expect(figuresOf(run.events, run.played.virtualMicros).ttlDeletions).toBe(deleted);
  });

  test('beside each other', () => {
    const rows = figureRows(
      figuresOf(first.events, first.played.virtualMicros),
      figuresOf(second.events, second.played.virtualMicros),
    );
    expect(rows).toContainEqual({ name: 'elections won', one: '2', other: '2' });
    expect(rows.find(({ name }) => name === 'without a primary')!.one).toMatch(/^\d+(\.\d+)?s$/);
  });
});
