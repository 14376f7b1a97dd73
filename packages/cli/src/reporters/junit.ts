import { dirname } from 'node:path';
import type { Io } from '../io.ts';
import type { Outcome, Reporter } from './reporter.ts';
import { escapeXml } from './xml.ts';

/** JUnit's XML, as CI servers read it: a suite for each folder. */
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

/**
 * What stands in no attribute that readers know is a property. Those of a suite are all that the readers' schema
 * (`junit-10.xsd` of Jenkins' xUnit plugin) has, so each says whose it is.
 */
function suite(folder: string, outcomes: readonly Outcome[]): string {
  const time = seconds(outcomes.reduce((sum, { wallMs }) => sum + wallMs, 0));
  const properties = outcomes.flatMap(({ path, seed, virtualMs }) => [
    empty('property', { name: `${path} seed`, value: seed }),
    empty('property', { name: `${path} virtual seconds`, value: seconds(virtualMs) }),
  ]);
  return [
    `  ${open('testsuite', { name: folder, ...counts(outcomes), skipped: 0, time })}`,
    '    <properties>',
    ...properties.map((property) => `      ${property}`),
    '    </properties>',
    ...outcomes.map((outcome) => testCase(outcome)),
    '  </testsuite>\n',
  ].join('\n');
}

function testCase({ name, path, wallMs, failure, repeat, transcript }: Outcome): string {
  const attributes = { name, classname: path, file: path, line: failure?.line ?? 1, time: seconds(wallMs) };
  if (!failure) return `    ${empty('testcase', attributes)}`;
  const why = open('failure', { message: failure.title, type: 'failed' });
  return [
    `    ${open('testcase', attributes)}`,
    `      ${why}${escapeXml(`${failure.detail}\nrepeat with: ${repeat}`)}</failure>`,
    `      <system-out>${escapeXml(transcript.join('\n'))}</system-out>`,
    '    </testcase>',
  ].join('\n');
}

/** Nothing ends in an error: a bug of ours, or a disk, ends the run before there is a report. */
function counts(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  return { tests: outcomes.length, failures: outcomes.filter(({ ok }) => !ok).length, errors: 0 };
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
