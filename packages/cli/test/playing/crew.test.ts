import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Crew } from '../../src/playing/crew.ts';

// Processes that end although nobody has asked them to.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crew-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A child that answers with the seed that it was given, and notes each run that it begins. */
function crewOf(atOnce: number, dies: string): Crew {
  const program = join(folder, 'child.mjs');
  const body = `import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
    process.on('message', ({ input: { seed } }) => {
      appendFileSync(${JSON.stringify(join(folder, 'begun'))}, seed + ' ');
      const mark = ${JSON.stringify(join(folder, 'mark'))} + seed;
      ${dies}
      process.send({ said: '', value: { seed } });
    });`;
  writeFileSync(program, body);
  return new Crew({ program: pathToFileURL(program), atOnce });
}

const KILLED_ONCE =
  "if (seed % 3 === 0 && !existsSync(mark)) { writeFileSync(mark, ''); process.kill(process.pid, 'SIGKILL'); return; }";
const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const silent = { err() {} };

test.for([1, 2, 3])(
  'with %i at once, a run whose process is killed is played again, and answered once',
  async (atOnce) => {
    const crew = crewOf(atOnce, KILLED_ONCE);
    try {
      const trials = await Promise.all(seeds.map((seed) => crew.try({ text: '', seed }, silent)));
      expect(trials.map(({ seed }) => seed)).toEqual(seeds);
      expect(crew.atOnce).toBe(atOnce);
    } finally {
      crew.end();
    }
  },
);

test('a run that ends every process that plays it is an error, and the others are played', async () => {
  const crew = crewOf(2, 'if (seed === 5) process.exit(7);');
  try {
    const trials = await Promise.allSettled(seeds.map((seed) => crew.try({ text: '', seed }, silent)));
    expect(trials.map(({ status }) => status === 'fulfilled')).toEqual(seeds.map((seed) => seed !== 5));
    const failed = trials[4] as PromiseRejectedResult;
    expect(failed.reason.message).toContain('has ended with exit code 7');
  } finally {
    crew.end();
  }
});
