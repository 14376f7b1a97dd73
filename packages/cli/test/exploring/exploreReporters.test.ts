import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { error as annotate } from '@actions/core';
import { exploredOf, type Finding, NO_COVERAGE, type Stretch } from '@replsim/explore';
import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { memoryPages, validateXML } from 'xmllint-wasm';
import type { Result } from '../../src/exploring/exploredText.ts';
import { EXPLORE_REPORTERS } from '../../src/exploring/exploreReporters.ts';
import { foundFiles } from '../../src/exploring/findings.ts';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';
import { odd } from '../outcomes.ts';

// What came of an exploration, in the formats that others read.

const FILE = `name: ${JSON.stringify(`${odd.name}`)}
replicaSet: { members: 3 }
steps:
  - advance: 5s
  - repeat:
      times: 2
      steps:
        - advance: 1s
        - expect: { primary: any }
`;

/** An exploration that found these, of which each is a text that looks like what it is not. */
function resultOf(hostile: readonly string[]): Result {
  const stretches = hostile.map((text, i): Stretch => {
    const failure = { of: 'check', sameAs: text, title: `${text}.`, detail: text, at: i === 0 ? [1, 1] : [] } as const;
    const found = { failure, text: `# ${text}\n${FILE}`, seed: i + 3, run: i + 1 };
    const sums = {
      runs: 1,
      coverage: NO_COVERAGE,
      obstacles: { fault: 0, step: 0 },
      sometimes: [],
      times: [[text, 1]] as const,
    };
    return { from: i, to: i + 1, sums, found };
  });
  const explored = exploredOf(stretches, { base: { seed: 3 }, of: hostile.length, stopAt: 99 });
  return {
    question: {
      ...{ kind: 'explore', replsim: '1', file: odd.path, text: FILE, runs: 9, stopAt: 99 },
      mode: { kind: 'faults', atMost: 3, members: ['n1', 'n2'], heal: false, duringMicros: 1_500_000 },
    },
    title: odd.path,
    isPart: false,
    explored,
    found: foundFiles(odd.path, explored.findings as Finding[], new Map(), undefined),
    tookMs: 1234,
  };
}

const HOSTILE = [odd.name, '</pre><script>alert(1)</script>', ']]>', '::error::no', '%0A', '\ufffe\ud800 &amp; "'];

async function reported(name: keyof typeof EXPLORE_REPORTERS, hostile: readonly string[] = HOSTILE): Promise<string> {
  const io = testIo();
  await EXPLORE_REPORTERS[name](resultOf(hostile), io);
  return io.stdout;
}

const fixture = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test.for(['2014', '2019'])('junit: valid by the schema of %s, whether or not anything is found', async (year) => {
  const schema = { fileName: 'junit-10.xsd', contents: fixture(`../schemas/junit-10.${year}.xsd`) };
  for (const report of [await reported('junit'), await reported('junit', [])]) {
    const xml = { fileName: 'report.xml', contents: report };
    expect((await validateXML({ xml, schema, maxMemoryPages: memoryPages.MiB * 32 })).errors).toEqual([]);
  }
  expect(await reported('junit')).toContain('tests="6" failures="6" errors="0"');
  expect(await reported('junit', [])).toContain('tests="1" failures="0" errors="0"');
});

test("github: annotations are what GitHub's own toolkit writes, at the line of the step that failed", async () => {
  const written: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const repeat = `repeat with: replsim explore '${odd.path}' --mode faults --at-most 3 --members 'n1,n2' --no-heal --during 1.5s --runs 9 --stop-at 99`;
  try {
    for (const [i, text] of HOSTILE.entries())
      annotate([`${text}.`, text, repeat].join('\n'), {
        title: odd.name,
        file: odd.path,
        startLine: i === 0 ? 9 : 1,
      });
  } finally {
    stdout.mockRestore();
  }
  // YAML has no half of a character, so the name has lost its one.
  const wellFormed = (texts: string) => Buffer.from(texts).toString();
  expect(wellFormed(await reported('github'))).toBe(wellFormed(written.join('')));
});

test('html: one valid and accessible file in which nothing of a scenario is carried out', async () => {
  const validator = new HtmlValidate({
    root: true,
    extends: ['html-validate:recommended', 'html-validate:a11y', 'html-validate:document', 'html-validate:browser'],
  });
  for (const hostile of [HOSTILE, []]) {
    const report = await reported('html', hostile);
    const { results } = await validator.validateString(report);
    expect(results.flatMap(({ messages }) => messages.map(({ message, line }) => `${line}: ${message}`))).toEqual([]);
    expect(report).not.toMatch(/<script>alert|\bsrc=|\bhref="(?!#)/);
  }
});

describe('on the command line', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'explore-reporters-'));
    file = join(folder, 'claim.yaml');
    writeFileSync(
      file,
      'name: Nobody\nreplicaSet: { members: 1 }\nsteps:\n  - advance: 20s\n  - expect: { primary: none }\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const explored = async (...args: readonly string[]) => {
    const io = Object.assign(testIo(), { stepSummary: join(folder, 'summary') });
    const code = await main(['explore', file, '--mode', 'seeds', '--runs', '2', '--no-shrink', ...args], io);
    return { code, out: io.stdout, err: io.stderr };
  };

  test('several at once, each where it is told; --json is one of them', async () => {
    const junit = join(folder, 'junit.xml');
    const { code, out } = await explored('--reporter', 'junit', '--output', junit, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ version: 1, findings: [{ run: 1 }] });
    expect(readFileSync(junit, 'utf8')).toMatch(/<failure message="step 2, line 5: /);
  });

  test("github: at the line, and the job's summary", async () => {
    const { out } = await explored('--reporter', 'github');
    expect(out).toMatch(/^::error title=Nobody,file=\S+,line=5::step 2, line 5: /);
    const summary = readFileSync(join(folder, 'summary'), 'utf8');
    expect(summary).toMatch(/^### replsim: \S+: 1 found, 1 of 2 runs\n\n\| what came about \| \|\n/);
    expect(summary).toContain('<details><summary>step 2, line 5: ');
  });

  test('two in one place, or over the scenario, are refused', async () => {
    expect(await explored('--reporter', 'junit', '--json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('junit and json would both write to stdout'),
    });
    expect(await explored('--reporter', 'junit', '--output', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is read by this command'),
    });
    expect(await explored('--reporter', 'tap')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are pretty, json, junit, github, html'),
    });
  });
});

test('what should have come about in some run, and did in none, is a failure in every format', async () => {
  const asked = { line: 7, text: 'sometimes: {primary: none}', asked: 1, held: 0 };
  const whole = resultOf([]);
  const result = {
    ...whole,
    explored: { ...whole.explored, runs: 5, base: { seed: 3, sometimes: [asked] }, sometimes: [0] },
  };
  for (const name of ['pretty', 'junit', 'github', 'html'] as const) {
    const io = testIo();
    await EXPLORE_REPORTERS[name](result, io);
    expect(io.stdout, name).toMatch(/NEVER in 5 runs: line 7: sometimes: \{primary: none\}/);
    const part = testIo();
    await EXPLORE_REPORTERS[name]({ ...result, isPart: true }, part);
    expect(part.stdout, name).not.toContain('NEVER');
  }
});
