import { readFileSync } from 'node:fs';
import { error as annotate } from '@actions/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { HtmlValidate } from 'html-validate';
import { Parser } from 'tap-parser';
import { expect, test, vi } from 'vitest';
import { memoryPages, validateXML } from 'xmllint-wasm';
import { githubReporter } from '../src/reporters/github.ts';
import { htmlReporter } from '../src/reporters/html.ts';
import { jsonReporter } from '../src/reporters/json.ts';
import { junitReporter } from '../src/reporters/junit.ts';
import type { Reporter } from '../src/reporters/reporter.ts';
import { tapReporter } from '../src/reporters/tap.ts';
import { testIo } from './io.ts';
import { failed, held, odd, played } from './outcomes.ts';

// What reporters write is read by tools that others wrote, as it is meant for such. The schemas are those of Jenkins' xUnit plugin,
// as they were before 2019 and after; their licence (MIT) stands in them.

/** What formats are made of, so that texts look like them more often than by chance. */
const MARKS = [
  '<',
  '&',
  ']]>',
  '-->',
  '"',
  '#',
  '\\',
  '\n',
  '\r',
  '  ---\n',
  '  ...\n',
  'ok 1',
  '::',
  '%0A',
  '\u2028',
  '\ud800',
  '\ufffe',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: 'binary', maxLength: 4 })))
  .map((all) => all.join(''));
const outcome = fc
  .record({
    name: text,
    path: text,
    repeat: text,
    title: text,
    detail: text,
    transcript: fc.array(text, { maxLength: 3 }),
  })
  .map(({ name, path, title, detail, ...texts }) => ({
    ...failed,
    ...texts,
    // These are never empty.
    name: `${name}.`,
    path: `${path}.yaml`,
    failure: { title: `${title}.`, detail, line: 1 },
  }));

const all = [held, failed, odd, ...fc.sample(outcome, { numRuns: 200, seed: 1 })];

function reported(reporter: (io: ReturnType<typeof testIo>) => Reporter): string {
  const io = testIo();
  const open = reporter(io);
  for (const outcome of all) open.finished?.(outcome);
  open.ended(played(all));
  return io.stdout;
}

const fixture = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test.for(['2014', '2019'])('junit: valid for Jenkins, by its schema of %s', async (year) => {
  const schema = { fileName: 'junit-10.xsd', contents: fixture(`schemas/junit-10.${year}.xsd`) };
  const complaints = async (xml: string) =>
    (
      await validateXML({
        xml: { fileName: 'report.xml', contents: xml },
        schema,
        maxMemoryPages: memoryPages.MiB * 32,
      })
    ).errors;
  const report = reported(junitReporter);
  expect(await complaints(report)).toEqual([]);
  expect(await complaints(report.replace('<testcase ', '<testcase where="here" '))).not.toEqual([]);
});

test('json: valid by its schema', () => {
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(JSON.parse(fixture('../report.schema.json')));
  const report = JSON.parse(reported(jsonReporter));
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
  delete report.scenarios[0].seed;
  expect(validate(report)).toBe(false);
});

const parsedTap = (text: string) =>
  Parser.parse(text, { strict: true }).filter(([kind]) => !['line', 'finish', 'close'].includes(String(kind)));

test('tap: results as they were, and no directive, test or end that a text only looks like', () => {
  const events = parsedTap(reported((io) => tapReporter(io, all.length)));
  expect(events.map(([kind]) => kind)).toEqual(['version', 'plan', ...all.map(() => 'assert'), 'comment', 'complete']);
  const results = events.filter(([kind]) => kind === 'assert').map(([, result]) => result);
  expect(results).toMatchObject(all.map(({ ok }, i) => ({ ok, id: i + 1 })));
  expect(results.map(({ skip, todo }) => skip || todo)).toEqual(all.map(() => false));
  expect(results[2].name).toContain('# TODO </script>');
  expect(results[2].diag.message).toContain(`  ---\n  ...\n\nok 7 - no\nBail out![31m`);
  expect(events.at(-1)![1]).toMatchObject({
    count: all.length,
    pass: 1,
    fail: all.length - 1,
    bailout: false,
    plan: { start: 1, end: all.length },
  });
});

test('tap: a run that goes no further says so', () => {
  const io = testIo();
  const cut = tapReporter(io, 3);
  cut.finished?.(failed);
  cut.ended(played([failed]));
  expect(parsedTap(io.stdout).at(-1)![1]).toMatchObject({
    count: 1,
    bailout: 'the rest is not run',
  });
  const broken = testIo();
  tapReporter(broken, 3).brokenOff?.('no outcome # 3');
  expect(parsedTap(broken.stdout).at(-1)![1]).toMatchObject({ ok: false, bailout: 'no outcome # 3' });
});

test('html: valid and accessible', async () => {
  const presets = [
    'html-validate:recommended',
    'html-validate:a11y',
    'html-validate:document',
    'html-validate:browser',
  ];
  const validator = new HtmlValidate({
    root: true,
    extends: presets,
  });
  const complaints = async (html: string) =>
    (await validator.validateString(html)).results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
    );
  const report = reported(htmlReporter);
  expect(await complaints(report)).toEqual([]);
  expect(await complaints(report.replace(' scope="col"', ' scope="cell"'))).not.toEqual([]);
});

test("github: annotations are what GitHub's own toolkit writes", () => {
  const written: string[] = [];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    for (const { failure, name, path, repeat } of all.filter(({ ok }) => !ok))
      annotate([failure!.title, failure!.detail, `repeat with: ${repeat}`].filter(Boolean).join('\n'), {
        title: name,
        file: path,
        startLine: failure!.line,
      });
  } finally {
    stdout.mockRestore();
  }
  expect(reported(githubReporter)).toBe(written.join(''));
});
