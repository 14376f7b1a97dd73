import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { InvalidScenario, parseForecast, parseScenario, playScenario, Transcript, traceLine } from '../src/index.ts';

const SCENARIO = 'name: A claim\nsteps:\n  - advance: 1s\n';
const RECORDING = 'name: A recording\nsteps:\n  - { at: 0s }\n';
const FORECAST = 'name: Tokens\ninsert: 20\nexpireAfterSeconds: 300\n';
const READERS = { scenario: parseScenario, forecast: parseForecast };

function mistakeOf(what: keyof typeof READERS, text: string): string | undefined {
  try {
    READERS[what](text, 'file');
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.message;
  }
}

async function writtenByARun(): Promise<{ transcript: string; trace: string }> {
  const lines = new Transcript();
  let transcript = '';
  let trace = '';
  await playScenario(parseScenario(SCENARIO, 'a.yaml'), (options) => ReplSet.create(options), {
    onTrace: (event) => {
      for (const line of lines.observe(event)) transcript += `${line}\n`;
      trace += `${traceLine(event)}\n`;
    },
  });
  return { transcript, trace };
}

test('a file for the other command is told which', () => {
  expect(mistakeOf('scenario', FORECAST)).toBe(
    'file:1:1: this is a forecast, not a scenario\n      give it to "replsim forecast"',
  );
  expect(mistakeOf('forecast', SCENARIO)).toBe(
    'file:1:1: this is a scenario, not a forecast\n      give it to "replsim run"',
  );
  expect(mistakeOf('forecast', RECORDING)).toBe(
    'file:1:1: this is a recording, not a forecast\n      give it to "replsim run"',
  );
});

test('what belongs to a command is taken', () => {
  expect(mistakeOf('scenario', SCENARIO)).toBeUndefined();
  expect(mistakeOf('scenario', RECORDING)).toBeUndefined();
  expect(mistakeOf('forecast', FORECAST)).toBeUndefined();
});

test.for(['scenario', 'forecast'] as const)('what a run has written is no %s', async (what) => {
  const { transcript, trace } = await writtenByARun();
  expect(mistakeOf(what, transcript)).toMatch(
    /^file:1:1: this is a transcript, .*\n +give the scenario .*"replsim run"/,
  );
  expect(mistakeOf(what, trace)).toMatch(/^file:1:1: this is a trace, .*\n +give the scenario .*"replsim run"/);
});

test('documents, and what the shell prints, are named', () => {
  const documents = { jsonl: '{"_id":1}\n{"_id":2}\n', json: '[{"_id":1},\n{"_id":2}]', bson: '\x0e\0\0\0\x10_id\0' };
  for (const text of Object.values(documents))
    for (const what of ['scenario', 'forecast'] as const)
      expect(mistakeOf(what, text)).toMatch(
        /^file:1:1: this file holds documents as (JSON|BSON)\n {6}name it in a scenario/,
      );
  const shell = "rs0 [direct: primary] test> rs.conf()\n{ _id: 'rs0', members: [ { _id: 0, host: 'a:27017' } ] }\n";
  expect(mistakeOf('scenario', shell)).toMatch(
    /this is a replica set config, as rs\.conf\(\) prints it, not a scenario\n/,
  );
  expect(mistakeOf('scenario', 'name: a\nsteps:\n  - advance: [\n')).not.toContain('this is');
});
