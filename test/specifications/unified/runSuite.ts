import { clearTimeout, setTimeout } from 'node:timers';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import type { Found } from './files.ts';
import type { SpecificationTest } from './format.ts';
import { type Cause, known } from './known.ts';
import { type Environment, environmentOf, reasonToSkip } from './requirements.ts';
import { TestRun } from './testRun.ts';
import { Failure, Skipped } from './verdicts.ts';

/** How one test ended. */
export interface Row {
  readonly suite: string;
  readonly file: string;
  readonly description: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Of a failure or a skip. */
  readonly reason?: string;
  /** Whose a known failure is. */
  readonly cause?: Cause;
}

/** Which tests to run, by `FILE: DESCRIPTION`, and against which release. */
export interface Wanted {
  readonly isWanted?: (name: string) => boolean;
  readonly version?: string;
  /** The set has access control, and clients log in as its root. */
  readonly auth?: boolean;
}

/** What the tests of one specification share. */
interface Ground {
  readonly uri: string;
  readonly admin: MongoClient;
  readonly environment: Environment;
}

const [USER, PASSWORD] = ['somebody', 'secret'];

/** The slowest test waits for a heartbeat's timeout, about half of this; a test that hangs is ended. Unit: ms. */
const LONGEST_TEST_MS = 40_000;

/**
 * The tests of one specification, one after the other, against a set of its own.
 * @param ended told of each test
 * @throws InvalidOptions for a release that is not known; InvariantBroken, if the set broke an invariant
 */
export async function runSuite(files: readonly Found[], wanted: Wanted, ended: (row: Row) => void): Promise<void> {
  const { isWanted = () => true, version, auth = false } = wanted;
  const set = await ReplicaSet.start({
    members: 3,
    invariants: true,
    ...(auth ? { auth: { enable: true, customRootName: USER, customRootPwd: PASSWORD } } : { anyUser: PASSWORD }),
    ...(version && { version }),
  });
  // Every client logs in, as those of drivers' own suites do: many tests have fail points of that.
  const uri = set.uri.replace('//', `//${USER}:${PASSWORD}@`);
  const admin = new MongoClient(uri);
  try {
    const ground = { uri, admin, environment: await environmentOf(admin, auth) };
    for (const found of files) {
      const tests = found.file.tests.filter(({ description }) => isWanted(`${found.name}: ${description}`));
      for (const test of tests) ended(await runTest(found, test, ground));
    }
  } finally {
    await admin.close();
    await set.stop();
  }
}

async function runTest({ suite, name, file }: Found, test: SpecificationTest, ground: Ground): Promise<Row> {
  const { uri, admin, environment } = ground;
  const { description } = test;
  const row = { suite, file: name, description };
  const unsuited = reasonToSkip(file, test, environment);
  if (unsuited !== undefined) return { ...row, outcome: 'skipped', reason: unsuited };
  const run = new TestRun(uri, admin);
  try {
    await withinTime(run.run(file, test));
    return { ...row, outcome: 'passed' };
  } catch (error) {
    if (error instanceof Skipped) return { ...row, outcome: 'skipped', reason: error.message };
    const reason = error instanceof Failure ? error.message : String(error);
    const cause = known(suite, name, description, reason)?.cause;
    return { ...row, outcome: 'failed', reason, ...(cause && { cause }) };
  } finally {
    await run.end();
  }
}

async function withinTime(running: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`not over after ${LONGEST_TEST_MS / 1000} s`)), LONGEST_TEST_MS);
  });
  try {
    await Promise.race([running, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
