import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { likenessOf } from '../../packages/studio/src/core/compare/likeness.ts';
import { type Traced, tracedPlayer } from '../../packages/studio/src/core/compare/tracedPlayer.ts';
import type { Difference } from '../../packages/studio/src/core/edit/difference.ts';
import { differing } from '../../packages/studio/src/core/edit/differing.ts';
import { ScenarioPlayer } from '../../packages/studio/src/core/run/play.ts';

// What the page says of two runs, and what `replsim diff` says of their traces.

const folder = mkdtempSync(join(tmpdir(), 'replsim-two-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FAILOVER = readFileSync(new URL('../../scenarios/election/failover-on-kill.yaml', import.meta.url), 'utf8');

async function traceOf(name: string, text: string): Promise<string> {
  const [file, trace] = [join(folder, `${name}.yaml`), join(folder, `${name}.trace`)];
  writeFileSync(file, text);
  await main(
    ['run', file, '--trace', trace, '--causes', '--force'],
    ioTo(() => {}),
  );
  return trace;
}

const ioTo = (out: (text: string) => void) => ({ out, err: () => {}, colours: false, progress: false });

async function played(text: string): Promise<Traced> {
  const found: Traced[] = [];
  await tracedPlayer(new ScenarioPlayer(), (traced) => found.push(traced)).play(text, undefined, () => {});
  return found[0]!;
}

test.for<Difference>([
  { kind: 'seed', seed: 2 },
  { kind: 'seed', seed: 1 },
  { kind: 'setting', name: 'settings.electionTimeoutMillis', value: '5000' },
  { kind: 'version', version: '7.0' },
  { kind: 'writeConcern', w: '1' },
])('the page finds what diff finds: %j', async (difference) => {
  const edited = differing(FAILOVER, difference);
  const second = 'text' in edited ? edited.text : '';
  const [a, b] = [await traceOf('a', FAILOVER), await traceOf('b', second)];
  let said = '';
  await main(
    ['diff', a, b],
    ioTo((text) => {
      said += text;
    }),
  );
  const { began = '', equal, parted } = likenessOf(await played(FAILOVER), await played(second));
  const inWords = parted
    ? `${began}${began === '' ? '' : 'then '}the same for ${equal} events; in event ${parted.number} they differ:\n${parted.words}`
    : `the same: ${equal} events\n`;
  const called = said.replaceAll(a, 'the first').replaceAll(b, 'the second');
  expect(called.slice(0, inWords.length)).toBe(inWords);
  expect(parted === undefined).toBe(second.includes('seed: 1'));
});
