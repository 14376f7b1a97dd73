import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { KilledRule } from './mutatedRule.ts';

/**
 * How a row fared. `survived`: no test failed. `wrong`: the row is of no use, because its text is not there, the test does not load the file, or the
 * mutated file cannot be loaded.
 */
export interface Outcome {
  readonly fate: 'killed' | 'hung' | 'survived' | 'wrong';
  /** The tests that failed, or what is wrong. */
  readonly detail: string;
}

/** The root of the repository, seen from `test/mutations/rules/dist`. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** After this long a test hangs, which is a kill: the tests named here take seconds. Unit: ms. */
const LIMIT_MS = 120_000;

/** The test runs that have not ended, for whoever is interrupted. */
const running = new Set<ChildProcess>();

/** Ends every test run, with the processes that it has started. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}

/**
 * Runs a row's test in processes of its own, in which `test/native/stripTypes.mjs` breaks the rule as the file is loaded. Nothing is written.
 * @param honest runs it without breaking anything
 */
export async function attempt(rule: KilledRule, honest = false): Promise<Outcome> {
  const { file, from, to } = rule;
  const mutation = honest ? {} : { REPLSIM_MUTATION: JSON.stringify({ file, from, to }) };
  const title = rule.title === undefined ? [] : ['--testNamePattern', escaped(rule.title)];
  const options = ['--reporter=json', '--bail=1', '--update=none', '--cache=false', ...title];
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', rule.test, ...options], {
    cwd: ROOT,
    env: { ...process.env, ...mutation },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its workers end with it.
    detached: true,
  });
  running.add(child);
  let [said, hung] = ['', false];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const limit = setTimeout(() => {
    hung = true;
    endGroup(child);
  }, LIMIT_MS);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  running.delete(child);
  if (hung) return { fate: 'hung', detail: `no end after ${LIMIT_MS / 1000} s` };
  return judge(said, honest);
}

interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function judge(said: string, honest: boolean): Outcome {
  const line = said.split('\n').find((each) => each.startsWith('{"numTotalTestSuites"'));
  if (line === undefined) return { fate: 'wrong', detail: `no test ran: ${said.trim().slice(-500)}` };
  const report: Report = JSON.parse(line);
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  if (!honest && !said.includes('REPLSIM_MUTATION applied'))
    return { fate: 'wrong', detail: 'the test never loads the file' };
  if (failed.length > 0) return { fate: 'killed', detail: failed[0]! };
  const broken = report.testResults.find(({ status }) => status === 'failed');
  if (broken !== undefined)
    return { fate: 'wrong', detail: `the test file does not load: ${broken.message.slice(0, 500)}` };
  if (report.numPassedTests === 0) return { fate: 'wrong', detail: 'no test has that name' };
  return { fate: 'survived', detail: `${report.numPassedTests} tests passed` };
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

const escaped = (title: string): string => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
