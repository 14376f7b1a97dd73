import { type Explored, explore, type Mode, tryOut } from '@replsim/explore';
import { describe, expect, test } from 'vitest';
import { read, repositoryFiles } from '../docs/markdown.ts';

// Pairs of scenarios of published anomalies: the setting that shows one, and the setting that prevents it. Both claim the same, the first
// that it does not hold; explored, the first is found to break it and the second never is. `npm run anomalies` tries thousands of runs.

const { ANOMALY_RUNS = '6' } = process.env;
const RUNS = Number(ANOMALY_RUNS);

const names = repositoryFiles.flatMap((path) => /^scenarios\/anomalies\/(.*)-shown\.yaml$/.exec(path)?.[1] ?? []);
const fileOf = (name: string, kind: 'shown' | 'prevented') => `scenarios/anomalies/${name}-${kind}.yaml`;
const CLAIM = /\n {2}- expect: (?:\{ not: (\{ .* \}) \}|(\{ .* \}))\n$/;

test('each anomaly is a pair', () => {
  expect(names).toHaveLength(11);
  const files = repositoryFiles.filter((path) => path.startsWith('scenarios/anomalies/'));
  expect(files.sort()).toEqual(names.flatMap((name) => [fileOf(name, 'prevented'), fileOf(name, 'shown')]).sort());
});

describe.each(names)('%s', (name) => {
  const [shown, prevented] = [read(fileOf(name, 'shown')), read(fileOf(name, 'prevented'))];

  test('both claim the same, the first that it does not hold', () => {
    const [, negated] = CLAIM.exec(shown) ?? [];
    const [, , plain] = CLAIM.exec(prevented) ?? [];
    expect(negated).toBeDefined();
    expect(plain).toBe(negated);
    const linesOf = (text: string) => text.slice(text.indexOf('\nreplicaSet:')).trim().split('\n');
    const [first, second] = [linesOf(shown), linesOf(prevented)];
    expect(first).toHaveLength(second.length);
    // Besides the claim only the setting differs.
    expect(first.filter((line, i) => line !== second[i]).length).toBeLessThanOrEqual(3);
  });

  test('the first is found to break its claim', async () => {
    const claim = shown.replace(CLAIM, '\n  - expect: $1\n');
    const { findings } = await seeds(claim, 8, 1);
    expect(findings.map(({ failure }) => failure.of)).toEqual(['check']);
  });

  test('the second never is, whatever the seed, and whatever faults come beside', async () => {
    const byChance = { kind: 'faults', atMost: 2, kinds: ['partition', 'cut', 'pause', 'link'] } as const;
    const base = await seeds(prevented, Math.ceil(RUNS / 2), 99);
    const drawn = holdsWithOtherFaults(name) ? await run(prevented, byChance, Math.floor(RUNS / 2), 99) : undefined;
    for (const { findings } of [base, drawn].filter((each) => each !== undefined))
      expect(findings.map(({ failure, seed }) => `seed ${seed}: ${failure.title} ${failure.detail}`)).toEqual([]);
    expect(base.obstacles).toEqual({ fault: 0, step: 0 });
  });
});

test('the page has each of them, with the setting that shows and the one that prevents it', () => {
  const rows = [
    ...read('docs/anomalies.md').matchAll(
      /^\| [^|]* \| \[(.*?)\]\(\.\.\/(\S+-shown\.yaml)\)[^|]* \| \[(.*?)\]\(\.\.\/(\S+-prevented\.yaml)\)[^|]* \| .* \|$/gm,
    ),
  ];
  expect(rows.map(([, , file]) => file)).toEqual(expect.arrayContaining(names.map((name) => fileOf(name, 'shown'))));
  expect(rows).toHaveLength(names.length);
  for (const [, shows, first, prevents, second] of rows) {
    expect(second).toBe(first!.replace('-shown', '-prevented'));
    const bare = (text: string) => text.replaceAll('`', '');
    expect(read(first!), first).toContain(bare(shows!));
    expect(read(second!), second).toContain(bare(prevents!));
    expect(read(second!), second).not.toContain(bare(shows!));
  }
});

/** How long nothing is acknowledged depends on what else fails; there only the seed varies. */
function holdsWithOtherFaults(name: string): boolean {
  return name !== 'psa-majority' && name !== 'reconfig-asks-nobody';
}

function seeds(text: string, runs: number, stopAt: number): Promise<Explored> {
  return run(text, { kind: 'seeds' }, runs, stopAt);
}

function run(text: string, mode: Mode, runs: number, stopAt: number): Promise<Explored> {
  return explore(text, { mode, seed: 1, runs: Math.max(runs, 1), stopAt, play: tryOut });
}
