import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FAULT_KINDS,
  type FaultAction,
  isAction,
  isFault,
  type Recorded,
  type RecordedInput,
  ReplSet,
} from '@replsim/replset';
import { parseScenario, playScenario, type Scenario, scenarioJsonSchema, writeRecording } from '@replsim/scenario';
import { playFault, ServedSet } from '@replsim/server';
import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterAll, afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';

// Whatever stands in the table of faults comes through every door, and in the docs. The examples of docs/faults.md, one
// after the other, are what is tried.

const docs = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');
const rows = [...docs.matchAll(/^\| `(\w+)` \| `(\w+: .*?)` \| /gm)].map(([, kind, example]) => ({
  kind: kind!,
  example: example!,
  input: (parse(example!) as Record<string, unknown>)[kind!],
}));

const folder = mkdtempSync(join(tmpdir(), 'faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

let set: ReplicaSet | undefined;
let client: MongoClient | undefined;
afterEach(async () => {
  await client?.close();
  await set?.stop();
  client = undefined;
  set = undefined;
});

const started = (record: string) => ReplicaSet.start({ members: 3, speed: 0, seed: 5, epoch: 0, record });

type Act = (set: ReplicaSet, kind: string, input: unknown) => Promise<unknown>;

/** Plays the story through one door. @returns its recording */
async function story(name: string, act: Act): Promise<Scenario> {
  const record = join(folder, `${name}.yaml`);
  set = await started(record);
  for (const { kind, input } of rows) {
    await act(set, kind, input);
    await set.advance('15s');
  }
  // Once it has seen its member go, a driver that closes looks for it for half a minute of real time.
  await client?.close();
  await set.stop();
  return parseScenario(readFileSync(record, 'utf8'), record);
}

const byMethod: Act = (set, kind, input) => {
  const methods = set as unknown as Record<string, ((input: unknown) => Promise<void>) | undefined>;
  expect(methods[kind], `ReplicaSet has no method ${kind}`).toBeTypeOf('function');
  return methods[kind]!(input);
};

const byCommand: Act = async (set, kind, input) => {
  // n1 never ends in this story.
  client ??= new MongoClient(`mongodb://${set.members[0]!.host}/?directConnection=true`);
  return client.db('admin').command({ replsimFault: { [kind]: input } });
};

/** What of a recording is a fault. */
function faultsOf({ steps }: Scenario): FaultAction[] {
  const inputs = steps.flatMap(({ action }) => ('inputs' in action ? (action.inputs as readonly RecordedInput[]) : []));
  return inputs.filter((input): input is FaultAction => isFault(input.type));
}

test('the docs tell of all faults, in the order of the table', () => {
  expect(rows.map(({ kind }) => kind)).toEqual(FAULT_KINDS);
});

test('each is a step', async () => {
  const schema = scenarioJsonSchema() as { $defs: { step: { properties: object } } };
  expect(Object.keys(schema.$defs.step.properties)).toEqual(expect.arrayContaining([...FAULT_KINDS]));
  const steps = ['eventually: { within: 30s, primary: any }'];
  for (const { example } of rows) steps.push(example, 'advance: 15s');
  const text = ['name: every fault', 'steps:', ...steps.map((step) => `  - ${step}`)].join('\n');
  const scenario = parseScenario(text, 'everyFault.yaml');
  const { failure } = await playScenario(scenario, (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});

let recorded: Promise<Scenario> | undefined;
/** The same for all tests that look at it. */
function recording(): Promise<Scenario> {
  recorded ??= story('byMethod', byMethod);
  return recorded;
}

test('each is a method of ReplicaSet, and recorded', async () => {
  const kinds = new Set(faultsOf(await recording()).map(({ type }) => type));
  expect([...kinds].sort()).toEqual(FAULT_KINDS.filter(isAction).sort());
});

test('each is done by the command replsimFault, and comes to the same', async () => {
  expect(faultsOf(await story('byCommand', byCommand))).toEqual(faultsOf(await recording()));
});

test('what is recorded of each says all of it', async () => {
  const served = await ServedSet.start({ members: 3, speed: 0, seed: 5, epochMs: 0 });
  const records: Recorded[] = [];
  served.recorder.start((record) => records.push(record));
  for (const { kind, input } of rows) {
    await playFault(served, { [kind]: input });
    await served.advance(15_000_000);
  }
  await served.stop();
  const { setOptions, set } = served;
  const text = writeRecording({ name: 'A story', setOptions, records, untilMicros: set.nowMicros });
  const done = records.flatMap(({ atMicros: _, ...input }) => (isFault(input.type) ? [input] : []));
  expect(faultsOf(parseScenario(text, 'story.yaml'))).toEqual(done);
});

test('a recording of all of them can be played', async () => {
  const { failure } = await playScenario(await recording(), (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});
