import { readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { parseForecast, parseScenario, playScenario, runForecast, Transcript } from '../src/index.ts';

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
