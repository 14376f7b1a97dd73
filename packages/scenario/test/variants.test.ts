import { expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../src/index.ts';
import type { WorkloadAction } from '../src/scenario.ts';

const HEAD = `name: A claim
replicaSet: { members: 3, settings: { electionTimeoutMillis: 5000, chainingAllowed: false } }
steps:
  - workload: { name: w, every: 100ms, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1, j: true } }
  - repeat: { times: 2, steps: [{ workload: { name: v, every: 1s, find: { in: app.c } } }, { kill: n3 }] }
variants:
`.replace(
  '  - repeat: { times: 2, steps: [{ workload: { name: v, every: 1s, find: { in: app.c } } }, { kill: n3 }] }\n',
  '  - kill: n3\n',
);

const variantOf = (text: string) => {
  const [[, variant] = []] = [...parseScenario(`${HEAD}${text}\n`, 'v.yaml').variants];
  return variant!;
};

function mistakes(text: string): string[] {
  try {
    parseScenario(`${HEAD}${text}\n`, 'v.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map(({ line, message }) => `${line}: ${message}`);
  }
}

test('maps are merged, and everything else takes the place of what it overrides', () => {
  const { options } = variantOf(
    '  a: { replicaSet: { settings: { electionTimeoutMillis: 2000 }, members: 5 }, version: "7.0", network: { latencyMs: 10 } }',
  );
  expect(options).toMatchObject({ version: '7.0', settings: { electionTimeoutMillis: 2000, chainingAllowed: false } });
  expect(options.members).toHaveLength(5);
  expect(options.network).toBeDefined();
  const written = parseScenario(`${HEAD}  a: { version: "7.0" }\n`, 'v.yaml');
  expect(written.options).not.toHaveProperty('version');
  expect([...written.variants.keys()]).toEqual(['a']);
});

test('workloads are found by their names', () => {
  const { steps } = variantOf('  a: { workloads: { w: { writeConcern: { w: majority }, every: 1s } } }');
  const action = steps[0]!.action as WorkloadAction;
  expect(action).toMatchObject({ name: 'w', everyMicros: 1e6, concern: '{ w: majority, j: true }' });
});

test('steps are replaced as a whole, and workloads are those of the new ones', () => {
  const { steps } = variantOf(
    '  a: { steps: [{ shutdown: n1 }, { workload: { name: v, every: 1s, find: { in: app.c } } }], workloads: { v: { every: 2s } } }',
  );
  expect(steps.map(({ key }) => key)).toEqual(['shutdown', 'workload']);
  expect(steps[1]!.action).toMatchObject({ everyMicros: 2e6 });
});

test.for<[text: string, ...mistakes: string[]]>([
  ['  a: { replicaSet: { settings: { electionTimeoutMilis: 1 } } }', '7: unknown key "electionTimeoutMilis"'],
  ['  a: { replicaSet: { settings: { electionTimeoutMillis: 0 } } }', '7: expected 1 or more'],
  ['  a: { seed: 5 }', '7: unknown key "seed"'],
  ['  a: {}', '7: this variant changes nothing'],
  ['  as written: { version: "7.0" }', '7: a variant needs another name'],
  ['  a: { workloads: { x: { every: 1s } } }', '7: no workload is called "x"'],
  ['  a: { workloads: { w: { evry: 1s } } }', '7: unknown key "evry"'],
  ['  a: { workloads: { w: { every: 0s } } }', '7: a turn takes some time'],
  ['  a: { replicaSet: { members: 2 } }', '5: in the variant "a": no member is called "n3"'],
  ['  a: { parameters: { noSuchParameter: 1 } }', 'noSuchParameter'],
  ['  a: 5', '7: '],
])('%s is a mistake, at its line', ([text, ...expected]) => {
  expect(mistakes(text)).toEqual(expected.map((each) => expect.stringContaining(each)));
});

test('a mistake of the file itself is told once', () => {
  expect(mistakes('  a: { version: "7.0" }\n  b: { version: "6.0" }\nnam: x')).toEqual([
    '9: unknown key "nam" in a scenario',
  ]);
});

test('what only a variant makes doubtful is a warning that names it', () => {
  const text = `${HEAD}  quick: { steps: [{ kill: n1 }] }\n`;
  const { warnings } = parseScenario(text, 'v.yaml');
  const { warnings: own } = parseScenario(HEAD.replace('variants:\n', ''), 'v.yaml');
  expect(own.every(({ message }) => warnings.some((each) => each.message === message))).toBe(true);
});
