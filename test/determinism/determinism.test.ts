import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, traceLine } from '@replsim/scenario';
import { afterEach, expect, test, vi } from 'vitest';
import { withChild } from './withChild.ts';

// The same scenario and seed give the same trace, byte for byte, whatever the process around it looks like.

const root = fileURLToPath(new URL('../..', import.meta.url));
const scenarios = [
  'scenarios/election/failover-on-kill.yaml',
  'scenarios/oplog/unreplicated-write-is-rolled-back.yaml',
  'scenarios/ttl/failover-moves-ttl.yaml',
  'scenarios/clients/a-workload-through-a-flapping-link.yaml',
];

async function traceOf(file: string, seed?: number): Promise<string> {
  const scenario = parseScenario(readFileSync(join(root, file), 'utf8'), file);
  const lines: string[] = [];
  await playScenario(scenario, (options) => ReplSet.create(options), {
    ...(seed !== undefined && { seed }),
    onTrace: (event) => lines.push(traceLine(event)),
  });
  return `${lines.join('\n')}\n`;
}

const plain = new Map<string, Promise<string>>();

/** The trace that the others are held against, made once. */
function plainTraceOf(file: string): Promise<string> {
  const made = plain.get(file) ?? traceOf(file);
  plain.set(file, made);
  return made;
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test.for(scenarios)('%s: twice in one process', async (file) => {
  const first = await plainTraceOf(file);
  expect(first.split('\n').length).toBeGreaterThan(50);
  expect(await traceOf(file)).toBe(first);
});

test('another seed gives another run', async () => {
  const file = scenarios[0]!;
  expect(await traceOf(file, 2)).not.toBe(await traceOf(file, 3));
});

test.for(scenarios)('%s: with the clock, chance and timers replaced by traps', async (file) => {
  const expected = await plainTraceOf(file);
  const trap = (name: string) => () => {
    throw new Error(`the run reached for ${name}`);
  };
  const RealDate = Date;
  class TrappedDate extends RealDate {
    constructor(...args: [] | [number | string]) {
      if (args.length === 0) trap('new Date()')();
      super(...(args as [number]));
    }
    static override now = trap('Date.now');
  }
  vi.stubGlobal('Date', TrappedDate);
  vi.spyOn(Math, 'random').mockImplementation(trap('Math.random'));
  vi.spyOn(performance, 'now').mockImplementation(trap('performance.now'));
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) vi.stubGlobal(name, trap(name));
  let actual: string;
  try {
    actual = await traceOf(file);
  } finally {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  }
  expect(actual).toBe(expected);
});

const ENVIRONMENTS = [
  { TZ: 'Pacific/Apia', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' },
];

test('in other processes, under other time zones and locales', async () => {
  await withChild('test/determinism/traceChild.ts', async (child) => {
    for (const [i, file] of scenarios.entries()) {
      const env = ENVIRONMENTS[i % ENVIRONMENTS.length];
      const ran = spawnSync(process.execPath, [child, file], {
        cwd: root,
        env: { ...process.env, ...env },
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      expect(ran.stderr).toBe('');
      expect(hash(ran.stdout), `${file} under ${JSON.stringify(env)}`).toBe(hash(await plainTraceOf(file)));
    }
  });
});
