import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLate } from '../src/files.ts';
import { InputError } from '../src/io.ts';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file that is written late', () => {
  test('is not there before, and what was there stays until then', () => {
    const [fresh, old] = [join(folder, 'fresh'), join(folder, 'old')];
    writeFileSync(old, 'an earlier report, which is longer');
    const files = [fresh, old].map((path) => openLate(path, 'report', true));
    expect([existsSync(fresh), readFileSync(old, 'utf8')]).toEqual([false, 'an earlier report, which is longer']);
    for (const { write } of files) for (const part of ['a ', 'new one']) write(part);
    for (const { close } of files) close();
    expect([fresh, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['a new one', 'a new one']);
  });

  test('is refused at once where it cannot be written, or should not be', () => {
    const old = join(folder, 'kept');
    writeFileSync(old, 'something');
    expect(() => openLate(old, 'report', false)).toThrow('already exists');
    expect(() => openLate(join(folder, 'none/x'), 'report', true)).toThrow(InputError);
    expect(() => openLate(folder, 'report', true)).toThrow('is a folder');
    expect(readFileSync(old, 'utf8')).toBe('something');
  });
});

test('while scenarios run, the reports of earlier runs are still there', async () => {
  const [scenario, report, csv] = ['s.yaml', 'report.xml', 'runs.csv'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(scenario, 'name: s\nbegin: with a primary\nsteps:\n  - expect: { primary: any }\n');
  for (const file of [report, csv]) writeFileSync(file, 'of an earlier run');
  const seen: string[] = [];
  const io = {
    ...testIo(),
    progress: true,
    err: () => void seen.push(...[report, csv].map((file) => readFileSync(file, 'utf8'))),
  };
  const explored = ['explore', scenario, '--mode', 'seeds', '--runs', '2', '--reporter', 'junit', '--output', report];
  expect(await main(explored, io)).toBe(0);
  expect(seen[0]).toBe('of an earlier run');
  expect(readFileSync(report, 'utf8')).toContain('<testsuites');
  seen.length = 0;
  expect(await main(['measure', scenario, '--seeds', '1..2', '--csv', csv, '--force'], io)).toBe(0);
  expect(seen[1]).toBe('of an earlier run');
  expect(readFileSync(csv, 'utf8')).toMatch(/^variant,seed,/);
});
