import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplSet } from '@replsim/replset';
import { type CreateSet, parseScenario } from '@replsim/scenario';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { checkDeterminism } from '../src/commands/checkDeterminism.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'replsim-determinism-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'one.yaml');
const TEXT = `name: a first election
replicaSet: { members: [n1, n2, n3] }
steps:
  - eventually: { within: 30s, primary: any }
  - advance: 1s
`;
writeFileSync(FILE, TEXT);
const scenario = parseScenario(TEXT, FILE);

/** Sets of which each second one has `change` done to it, half a second before its scenario ends. */
function everySecond(change: (set: ReplSet) => void): CreateSet {
  let runs = 0;
  return async (options) => {
    const set = await ReplSet.create(options);
    if (++runs % 2 === 0) {
      const advanceTo = set.advanceTo.bind(set);
      set.advanceTo = async (untilMicros) => {
        await advanceTo(untilMicros - 500_000);
        change(set);
        await advanceTo(untilMicros);
      };
    }
    return set;
  };
}

describe('two runs', () => {
  test('that are the same', async () => {
    const { events, difference } = await checkDeterminism(scenario, 1, (options) => ReplSet.create(options));
    expect(difference).toBeUndefined();
    expect(events).toBeGreaterThan(100);
  });

  test('of which one has an event more part there', async () => {
    const note = everySecond((set) => set.record({ type: 'note', text: 'the counter is odd' }));
    const { events, difference } = await checkDeterminism(scenario, 1, note);
    expect(difference!.second).toMatch(/"type":"note","text":"the counter is odd"/);
    const { atMicros } = JSON.parse(difference!.second!);
    expect(difference!.atMicros).toBe(atMicros);
    expect(difference).toMatchObject({ number: events + 1, before: { length: 5 } });
    for (const line of difference!.before) expect(JSON.parse(line).atMicros).toBeLessThanOrEqual(atMicros);
  });

  test('of which one ends earlier', async () => {
    let runs = 0;
    const short: CreateSet = async (options) => {
      const set = await ReplSet.create(options);
      if (++runs < 2) return set;
      set.advanceTo = async () => {
        set.record = () => {};
      };
      return set;
    };
    const { difference } = await checkDeterminism(scenario, 1, short);
    expect(difference).toMatchObject({ first: expect.any(String), second: undefined });
  });
});

describe('replsim run --check-determinism', () => {
  test('says that all are the same, and what that means', async () => {
    const io = testIo();
    expect(await main(['run', '--check-determinism', '--seed', '5', folder], io)).toBe(0);
    expect(io.stdout).toMatch(
      /^same: a first election: \d+ events, seed 5\n\nplayed twice .* nothing about other machines/,
    );
  });

  test('shows where they part, and exits with 1', async () => {
    const note = everySecond((set) => set.record({ type: 'note', text: 'odd' }));
    const options = { ...scenario.options, seed: 1 };
    const sets = [await note(options), await note(options)] as ReplSet[];
    vi.spyOn(ReplSet, 'create').mockImplementation(async () => sets.shift()!);
    const io = testIo();
    try {
      expect(await main(['run', '--check-determinism', FILE], io)).toBe(1);
    } finally {
      vi.restoreAllMocks();
    }
    expect(io.stdout).toMatch(
      /^differs: a first election \(.*one\.yaml, seed 1\)\n {2}first at \d+\.\d{6}s of virtual time, event \d+:\n/,
    );
    expect(io.stdout).toMatch(
      /\n {2}the last equal events before it:\n( {4}\{.*\}\n){5} {2}one run: {3}\{.*\}\n {2}the other: .*"odd"/,
    );
  });

  test.for([
    [['--trace', 'x', '--causes'], '--trace, --causes'],
    [['--jobs', '2'], '--jobs'],
    [['--seeds', '1..2'], '--seeds'],
    [['--reporter', 'json', '-u'], '--reporter, --update'],
    [['--ttl-report'], '--ttl-report'],
  ] as const)('takes no %j', async ([more, named]) => {
    const io = testIo();
    expect(await main(['run', '--check-determinism', ...more, FILE], io)).toBe(2);
    expect(io.stderr).toBe(`--check-determinism only compares: leave out ${named}\n`);
  });
});
