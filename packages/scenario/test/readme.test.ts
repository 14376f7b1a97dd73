import { readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import {
  CHECK_KEYS,
  parseForecast,
  parseScenario,
  playScenario,
  runForecast,
  STEP_GROUPS,
  Transcript,
} from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const yaml = blocks.find(({ language }) => language === 'yaml')!.text;
const [said, complained] = blocks.filter(({ language }) => language === 'text').map(({ text }) => text.trimEnd());

test('the example says what it does', async () => {
  const scenario = parseScenario(yaml, 'sessions.yaml');
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(scenario, (options) => ReplSet.create(options), {
    onTrace: (event) => {
      for (const line of transcript.observe(event)) if (line.includes('ttl')) lines.push(line.trim());
    },
  });
  lines.push(`${result.ok} ${result.steps}`);
  expect(result.failure?.detail).toBeUndefined();
  expect(lines.join('\n')).toBe(said);
});

test('the example of a lateness holds', async () => {
  const text = blocks.find(({ text }) => text.startsWith('# lateness.yaml'))!.text;
  const { failure } = await playScenario(parseScenario(text, 'lateness.yaml'), (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});

test('the example of a forecast runs', async () => {
  const text = blocks.find(({ text }) => text.includes('forecast.schema.json'))!.text;
  const result = await runForecast(parseForecast(text, 'tokens.yaml'), (options) => ReplSet.create(options), {
    budget: 3000,
  });
  expect(result.outages[0]!.worst).toMatchObject({ because: 'disabled' });
});

test('the example of a recording holds', async () => {
  const text = blocks.find(({ text }) => text.startsWith('# recording.yaml'))!.text;
  const { failure } = await playScenario(parseScenario(text, 'recording.yaml'), (options) => ReplSet.create(options));
  expect(failure?.detail).toBeUndefined();
});

test('so does the example of a mistake', () => {
  const wrong =
    'name: a\nsteps:\n  - advance: 1s\n  - advance: 1s\n  - advance: 1s\n  - advance: 1s\n  - advnce: 62s\n';
  expect(() => parseScenario(wrong, 'sessions.yaml')).toThrow(complained);
});

// A new row of a table is used and explained, or this fails.
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const guide = read('../../../docs/scenarios.md');
const faults = read('../../../docs/faults.md');
const steps = STEP_GROUPS.flatMap(([, keys]) => keys).filter((key) => !ofRecordings(key));
const checks = Object.values(CHECK_KEYS).flat();

function ofRecordings(key: string): boolean {
  return STEP_GROUPS.some(([title, keys]) => title.includes('recordings') && keys.includes(key));
}

function missingIn(texts: readonly string[], keys: readonly string[]): string[] {
  const code = texts.flatMap((text) => text.match(/`[^`\n]+`/g) ?? []).join('\n');
  return keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(code));
}

test.for([
  ['this README', [readme, faults]],
  ['the guide', [guide, faults]],
] as const)('%s has all steps and checks', ([, texts]) => {
  expect(missingIn(texts, [...steps, ...checks])).toEqual([]);
});
