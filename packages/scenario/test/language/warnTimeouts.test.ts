import { expect, test } from 'vitest';
import { parseScenario } from '../../src/index.ts';
import { adviceOnStart } from '../../src/language/warnTimeouts.ts';

function warningsOf(head: string): string[] {
  const text = `name: a\n${head}\nsteps: [ expect: { primary: any } ]\n`;
  return parseScenario(text, 'a.yaml').warnings.map(({ message, suggestion }) => `${message}; ${suggestion}`);
}

const settings = (text: string) => `replicaSet: { members: 3, settings: { ${text} } }`;
const NETWORK = 'so no set comes to life; for example "latencyMs: 20"; a link step can break the network later';

test.for<[head: string, warnings: string[]]>([
  ['network: { latencyMs: 20000 }', [`a round trip takes 40000 ms, and heartbeatTimeoutSecs is 10, ${NETWORK}`]],
  ['network: { latencyMs: [6000, 9000] }', [`a round trip takes 12000 ms, and heartbeatTimeoutSecs is 10, ${NETWORK}`]],
  ['network: { latencyMs: [1, 20000] }', []],
  ['network: { loss: 1 }', [`the network loses every message (loss: 1), ${NETWORK}`]],
  ['network: { loss: 0.9 }', []],
  [`${settings('heartbeatTimeoutSecs: 60')}\nnetwork: { latencyMs: 4000 }`, []],
  [
    settings('electionTimeoutMillis: 10'),
    ['elections every 10 ms may never end; it is in milliseconds: did you mean 10000?'],
  ],
  [settings('electionTimeoutMillis: 100'), []],
  [
    `${settings('electionTimeoutMillis: 1000')}\nnetwork: { latencyMs: 1500 }`,
    ['a round trip takes 3000 ms, so votes arrive after the next election has begun; for example 30000'],
  ],
  ['replicaSet: { members: 1 }\nnetwork: { loss: 1 }', []],
])('%s', ([head, warnings]) => {
  expect(warningsOf(head)).toEqual(warnings);
});

test('a set that did not stand has the same said of it', () => {
  const members = [{ name: 'n1' }, { name: 'n2' }];
  expect(adviceOnStart({ members })).toBeUndefined();
  expect(adviceOnStart({ members, settings: { electionTimeoutMillis: 1 } })).toBe(
    'a longer electionTimeoutMillis: 1 ms is shorter than an election takes',
  );
  expect(adviceOnStart({ members, network: { loss: 1 } })).toBe(
    'a network in which members can answer: the network loses every message (loss: 1)',
  );
});
