import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

const FILE = 'scenarios/election/failover-on-kill.yaml';

/** Says what is asked of it. */
const drawings = async () => () => ({
  instant: (atMicros: number) => `at ${atMicros}\n`,
  stretch: (fromMicros: number, toMicros: number, format: string) => `${format} ${fromMicros} ${toMicros}\n`,
  refusal: (fromMicros: number) => (fromMicros === 0 ? undefined : refused),
});
/** Why a stretch is not drawn that does not begin with the run. */
let refused: string | undefined;

async function draw(...args: string[]) {
  const io = Object.assign(testIo(), { drawings });
  const code = await main(['draw', ...args], io);
  return { code, out: io.stdout, err: io.stderr };
}

test('an instant, a stretch, and a stretch that is open at one end', async () => {
  expect(await draw(FILE, '--at', '12s')).toMatchObject({ code: 0, out: 'at 12000000\n' });
  const stretch = await draw(FILE, '--from', '20s', '--to', '22s', '--format', 'mermaid');
  expect(stretch).toMatchObject({ code: 0, out: 'mermaid 20000000 22000000\n' });
  expect(await draw(FILE, '--to', '2s')).toMatchObject({ code: 0, out: 'svg 0 2000000\n' });
});

test('a stretch that nobody could read is refused, in the words of who would draw it', async () => {
  refused = 'this stretch has too many rows';
  const { code, err } = await draw(FILE, '--from', '1s', '--to', '22s');
  refused = undefined;
  expect(code).toBe(2);
  expect(err).toContain('this stretch has too many rows');
});

test('a variant is drawn when it is asked for, and one that is not there is named', async () => {
  const events: number[] = [];
  const io = Object.assign(testIo(), {
    drawings: async () => (all: readonly unknown[]) => {
      events.push(all.length);
      return { instant: () => '', stretch: () => '', refusal: () => undefined };
    },
  });
  const file = 'scenarios/questions/which-election-timeout-for-a-lossy-link.yaml';
  const variant = /^variants:\n {2}"?([^"\n:]+)"?:/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  expect(await main(['draw', file, '--at', '1s'], io)).toBe(0);
  expect(await main(['draw', file, '--at', '1s', '--variant', variant], io)).toBe(0);
  expect(events[1]).not.toBe(events[0]);
  expect(await draw(file, '--at', '1s', '--variant', 'none')).toMatchObject({ code: 2 });
});

test.for([
  [[], 'say what to draw'],
  [['--at', '12s', '--from', '1s'], 'leave out the one or the others'],
  [['--at', '12s', '--format', 'mermaid'], 'use --from and --to instead of --at'],
  [['--from', '22s', '--to', '20s'], '--from must be before --to'],
  [['--from', '22s', '--to', '22s'], '--from must be before --to'],
  [['--at', '10h'], '--at: the run is over at'],
  [['--from', '10h'], '--from: the run is over at'],
  [['--to', '10h'], '--to: the run is over at'],
  [['--from', '1s', '--to', '10h', '--format', 'gif'], 'svg, mermaid'],
] as const)('%j is wrong input', async ([args, message]) => {
  const { code, err } = await draw(FILE, ...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test('a file that exists is kept, unless it may be overwritten; a missing scenario and a folder are named', async () => {
  const { code, err } = await draw(FILE, '--at', '1s', '--out', 'package.json');
  expect([code, err]).toEqual([2, expect.stringContaining('already exists')]);
  expect(readFileSync(join('package.json'), 'utf8')).toContain('"name"');
  expect(await draw('nothing.yaml', '--at', '1s')).toMatchObject({ code: 2 });
  expect(await draw('scenarios', '--at', '1s')).toMatchObject({ code: 2 });
});
