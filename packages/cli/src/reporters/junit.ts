import { dirname } from 'node:path';
import type { Io } from '../io.ts';
import type { Outcome, Reporter } from './reporter.ts';
import { escapeXml } from './xml.ts';

/** JUnit's XML, as CI servers read it: a suite for each folder, and in it one for each run. */
export function junitReporter(io: Io): Reporter {
  return {
    ended({ outcomes, tookMs }) {
      const folders = [...new Set(outcomes.map(({ path }) => dirname(path)))];
      const suites = folders.map((folder) => suite(folder, outcomes.filter(({ path }) => dirname(path) === folder))); // biome-ignore format: one line
      io.out('<?xml version="1.0" encoding="UTF-8"?>\n');
      io.out(`${open('testsuites', { name: 'replsim', ...counts(outcomes), time: seconds(tookMs) })}\n`);
      io.out(`${suites.join('')}</testsuites>\n`);
    },
  };
}

/** The runs of a folder, each of them a suite of its own. */
function suite(folder: string, outcomes: readonly Outcome[]): string {
  const inside = outcomes.map((outcome) => suiteOfRun(outcome)).join('');
  return `  ${open('testsuite', { name: folder, ...countsOfSuite(outcomes) })}\n${inside}  </testsuite>\n`;
}

/**
 * Jenkins' xUnit plugin refuses a report that its schema does not have (`junit-10.xsd`), and that of 2019 took from test cases
 * the attributes for file and line that the one before had. Suites have `file` in both, and properties, so there they stand.
 */
function suiteOfRun(outcome: Outcome): string {
  const { path, seed, virtualMs, failure } = outcome;
  const properties = { line: failure?.line ?? 1, seed, 'virtual seconds': seconds(virtualMs) };
  return [
    `    ${open('testsuite', { name: path, file: path, ...countsOfSuite([outcome]) })}`,
    '      <properties>',
    ...Object.entries(properties).map(([name, value]) => `        ${empty('property', { name, value })}`),
    '      </properties>',
    testCase(outcome),
    '    </testsuite>\n',
  ].join('\n');
}

function testCase({ name, path, wallMs, failure, error, repeat, transcript, shown = transcript }: Outcome): string {
  const attributes = { name, classname: path, time: seconds(wallMs) };
  if (!failure) return `      ${empty('testcase', attributes)}`;
  const kind = error === undefined ? 'failure' : 'error';
  const why = open(kind, { message: failure.title, type: error ?? 'failed' });
  return [
    `      ${open('testcase', attributes)}`,
    `        ${why}${escapeXml(`${path}:${failure.line}\n${failure.detail}\nrepeat with: ${repeat}`)}</${kind}>`,
    `        <system-out>${escapeXml(shown.join('\n'))}</system-out>`,
    '      </testcase>',
  ].join('\n');
}

function countsOfSuite(outcomes: readonly Outcome[]): Attributes {
  const wallMs = outcomes.reduce((sum, each) => sum + each.wallMs, 0);
  return { ...counts(outcomes), skipped: 0, time: seconds(wallMs) };
}

/** A file with mistakes is an error, and so is a bug of ours; a disk ends the run before there is a report. */
function counts(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const errors = outcomes.filter(({ error }) => error !== undefined).length;
  return { tests: outcomes.length, failures: outcomes.filter(({ ok }) => !ok).length - errors, errors };
}

const seconds = (ms: number) => (ms / 1000).toFixed(3);

type Attributes = Readonly<Record<string, string | number>>;

function open(element: string, attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  return `<${element}${pairs.join('')}>`;
}

function empty(element: string, attributes: Attributes): string {
  return open(element, attributes).replace(/>$/, '/>');
}
