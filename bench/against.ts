import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, median, ratioOf, shown } from './measure.ts';

// Another revision of the packages, measured by the bench of this one, with the dependencies of this one.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Fewer say nothing of how figures differ by themselves. */
const FEWEST_PAIRS = 3;

/**
 * Measures this checkout and a revision of it in turns, each time in a process of its own, and prints how they compare, pair by pair.
 * @param pairs how many
 */
export function againstRevision(revision: string, names: readonly string[], pairs: number): void {
  const there = checkedOut(revision);
  const count = Math.max(pairs, FEWEST_PAIRS);
  try {
    if (!isBuilt(there)) {
      process.stderr.write(
        `${revision} does not build with the dependencies of this checkout: name a later revision\n`,
      );
      process.exitCode = 2;
      return;
    }
    const [before, after]: [Figure[][], Figure[][]] = [[], []];
    for (let i = 0; i < count; i++) {
      // Neither is always the first.
      const turns = [() => before.push(measured(there, names)), () => after.push(measured(ROOT, names))];
      for (const turn of i % 2 === 0 ? turns : turns.reverse()) turn();
      process.stderr.write(`${i + 1} of ${count} pairs\n`);
    }
    process.stdout.write(`${table(before, after)}\n`);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', there], { cwd: ROOT });
    rmSync(there, { recursive: true, force: true });
  }
}

/** @returns the folder, with the bench of this checkout */
function checkedOut(revision: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'replsim-against-')), 'checkout');
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, revision], { cwd: ROOT });
  linkModules(ROOT, folder);
  for (const name of readdirSync(join(folder, 'packages')))
    linkModules(join(ROOT, 'packages', name), join(folder, 'packages', name));
  rmSync(join(folder, 'bench'), { recursive: true });
  cpSync(join(ROOT, 'bench'), join(folder, 'bench'), {
    recursive: true,
    filter: (path) => !/dist$|tsbuildinfo$/.test(path),
  });
  return folder;
}

function isBuilt(folder: string): boolean {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'ignore' });
  // Where a name has changed since: what was written runs, as far as it does not need that name.
  spawnSync('npx', ['tsc', '-b', 'bench'], { cwd: folder, stdio: 'ignore' });
  return status === 0;
}

/** The same packages from outside, and its own from within. */
function linkModules(from: string, to: string): void {
  const modules = join(from, 'node_modules');
  if (!existsSync(modules)) return;
  mkdirSync(join(to, 'node_modules/@replsim'), { recursive: true });
  for (const name of readdirSync(modules))
    if (name !== '@replsim' && name !== 'replsim') symlinkSync(join(modules, name), join(to, 'node_modules', name));
  if (from !== ROOT) return;
  for (const name of readdirSync(join(to, 'packages')))
    symlinkSync(join(to, 'packages', name), join(to, 'node_modules', name === 'replsim' ? name : `@replsim/${name}`));
}

function measured(folder: string, names: readonly string[]): Figure[] {
  const args = ['--expose-gc', join(folder, 'bench/dist/run.js'), ...names, '--json'];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }));
}

/** As a table of Markdown, for the message of a commit. */
function table(before: readonly Figure[][], after: readonly Figure[][]): string {
  const rows = after[0]!.map((figure) => row(figure, seriesOf(before, figure.name), seriesOf(after, figure.name)));
  return ['| work | before | after | speed, by pairs |', '|---|---|---|---|', ...rows].join('\n');
}

function seriesOf(rounds: readonly Figure[][], name: string): readonly Figure[] {
  return rounds.flatMap((figures) => figures.filter((each) => each.name === name));
}

/** More than 1 is faster now. */
function row({ name, unit }: Figure, before: readonly Figure[], after: readonly Figure[]): string {
  const told = (figures: readonly Figure[]) => {
    if (figures.length === 0) return '–';
    const ratios = figures.map(ratioOf).filter((each) => each !== undefined);
    const floor = ratios.length > 0 ? `, ${median(ratios).toFixed(2)} × its floor` : '';
    return `${shown(median(figures.map(({ value }) => value)))} ${unit}${floor}`;
  };
  const speeds = after.flatMap((each, i) => (before[i] ? [speedOf(before[i], each)] : []));
  const spread =
    speeds.length > 0
      ? `${median(speeds).toFixed(2)} (${Math.min(...speeds).toFixed(2)} to ${Math.max(...speeds).toFixed(2)})`
      : '–';
  return `| ${name} | ${told(before)} | ${told(after)} | ${spread} |`;
}

function speedOf(before: Figure, after: Figure): number {
  return before.better === 'more' ? after.value / before.value : before.value / after.value;
}
