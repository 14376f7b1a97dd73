import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { examplesOf, isOfOneSeed, scenariosOf } from './chosen.ts';

// A claim holds for any seed: npm run seeds [-- OPTION…], with options of `replsim run`. It plays all scenarios under seeds 1 to 20,
// but those that say why they need theirs (`seed: 7 # why`), and before them the examples of the README and of docs/, which people
// play first, under 1 to 200. The exit code is the greater of both runs.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'packages/replsim/bin/replsim.js');

function play(paths: readonly string[], seeds: string): number {
  process.stdout.write(`${paths.length} scenarios, seeds ${seeds}\n`);
  const args = [BIN, 'run', ...paths, '--seeds', seeds, ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 3;
}

const folder = mkdtempSync(join(tmpdir(), 'replsim-seeds-'));
try {
  const examples = examplesOf(ROOT).map(({ path, text }) => {
    const file = join(folder, basename(path));
    writeFileSync(file, text);
    return file;
  });
  const shown = play(examples, '1..200');
  const scenarios = scenariosOf(ROOT).filter((scenario) => !isOfOneSeed(scenario));
  const all = play(
    scenarios.map(({ path }) => path),
    '1..20',
  );
  process.exitCode = Math.max(shown, all);
} finally {
  rmSync(folder, { recursive: true });
}
