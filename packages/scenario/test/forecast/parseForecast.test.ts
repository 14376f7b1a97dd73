import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forecastJsonSchema, InvalidScenario, parseForecast } from '../../src/index.ts';

const HOUR = 3_600_000_000;
const RIGHT = 'name: A day\ninsert: 100\nexpireAfterSeconds: 60\n';

function mistakesOf(text: string): [place: string, message: string, suggestion: string | undefined][] {
  try {
    parseForecast(text, 'bad.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return error.mistakes.map(({ column, line, message, suggestion }) => [`${line}:${column}`, message, suggestion]);
  }
  return [];
}

test('what a file leaves out has a default', () => {
  expect(parseForecast(RIGHT, 'a.yaml')).toEqual({
    warnings: [],
    file: 'a.yaml',
    name: 'A day',
    seed: 1,
    version: undefined,
    startMicros: 0,
    durationMicros: 24 * HOUR,
    members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }],
    rate: [{ atMicros: 0, perSecond: 100 }],
    expireAfterSeconds: 60,
    documentBytes: 256,
    documentsAtStart: 'steady',
    indexes: 0,
    parameters: {},
    costs: {},
    oplogSizeMB: 10_240,
    outages: [],
  });
});

test('everything that a file may say', () => {
  const forecast = parseForecast(
    `
name: All
seed: 4
version: "7.0"
start: "22:00"
duration: 2d
members: 8
insert: [{ at: "06:00", rate: 1.5 }, { at: "18:00:30", rate: 20 }]
expireAfterSeconds: 3600
documentBytes: 1000
documentsAtStart: 5000
indexes: 2
parameters: { ttlMonitorSleepSecs: 5 }
costs: { deleteMicros: 40 }
oplogSizeMB: 0.5
clock: { n2: { offset: -30s, drift: 100 } }
outages:
  - { at: "21:00", for: 2m, what: kill primary }
  - { at: 36h, for: 1h, what: monitor off }
`,
    'all.yaml',
  );
  expect(forecast).toMatchObject({
    seed: 4,
    version: '7.0',
    startMicros: 22 * HOUR,
    durationMicros: 48 * HOUR,
    rate: [
      { atMicros: 6 * HOUR, perSecond: 1.5 },
      { atMicros: 18 * HOUR + 30_000_000, perSecond: 20 },
    ],
    documentsAtStart: 5000,
    indexes: 2,
    parameters: { ttlMonitorSleepSecs: 5 },
    costs: { deleteMicros: 40 },
    oplogSizeMB: 0.5,
    outages: [
      // The first nine in the evening after ten in the evening is the next day's.
      { atMicros: 23 * HOUR, forMicros: 120_000_000, what: 'kill primary' },
      { atMicros: 36 * HOUR, forMicros: HOUR, what: 'monitor off' },
    ],
  });
  expect(forecast.members[1]).toEqual({ name: 'n2', clock: { offsetMs: -30_000, driftPpm: 100 } });
  expect(forecast.members[7]).toEqual({ name: 'n8', config: { votes: 0, priority: 0 } });
});

const outage = (text: string) => `${RIGHT}outages:\n  - ${text}\n`;

test.for<[name: string, text: string, place: string, message: string, suggestion?: string]>([
  ['empty', '', '1:1', 'the file is empty', 'a forecast needs at least "insert:"'],
  ['a list', '- 1\n', '1:1', 'a forecast is a map', 'begin with "name: …" and "insert:"'],
  ['two documents', `${RIGHT}---\na: 1\n`, '4:1', 'a file holds one forecast; a second YAML document begins here'],
  ['an unknown key', `${RIGHT}expireAfterSecs: 5\n`, '4:1', 'unknown key "expireAfterSecs" in a forecast', 'did you mean "expireAfterSeconds"?'],
  ['no rate', 'name: a\nexpireAfterSeconds: 1\n', '1:1', '"insert" is missing here', 'expected documents a second, or a curve of the day: [{ at: "06:00", rate: 100 }, …]'],
  ['a rate that is none', 'name: a\ninsert: many\nexpireAfterSeconds: 1\n', '2:9', 'expected documents a second, or a curve of the day: [{ at: "06:00", rate: 100 }, …]'],
  ['a negative rate', 'name: a\ninsert: -1\nexpireAfterSeconds: 1\n', '2:9', 'expected 0 or more a second'],
  ['a curve backwards', 'name: a\ninsert: [{ at: "10:00", rate: 1 }, { at: "09:00", rate: 2 }]\nexpireAfterSeconds: 1\n', '2:42', 'the times of a curve must increase'],
  ['a time that is none', `${RIGHT}start: "25:00"\n`, '4:8', 'expected a time of day in quotes, such as "12:00"'],
  ['a forecast of a second', `${RIGHT}duration: 1s\n`, '4:11', 'a forecast lasts at least a minute'],
  ['an outage without a name', outage('{ at: "12:00", for: 2m, what: kill primry }'), '5:35', 'no outage is called "kill primry"', 'did you mean "kill primary"?'],
  ['an outage that outlasts the day', outage('{ at: "23:59", for: 2m, what: kill primary }'), '5:11', 'the forecast is over before this outage is'],
  ['outages at once', `${outage('{ at: "12:00", for: 2m, what: monitor off }')}  - { at: "12:01", for: 2m, what: monitor off }\n`, '6:11', 'outages must not overlap; the previous one has not ended yet'],
  ['a majority of one', `${outage('{ at: "12:00", for: 2m, what: no majority }')}members: 1\n`, '5:35', '"no majority" needs more than one member'],
  ['a clock finer than it shows', `${RIGHT}clock: { n2: { offset: 1us } }\n`, '4:24', 'a wall clock shows whole milliseconds', 'did you mean 1ms?'],
  ['a clock before 1970', `${RIGHT}clock: { n2: { offset: -49000d } }\n`, '4:24', 'with this the clock is not between 1970 and 2106', 'choose a smaller offset'],
  ['a clock of nobody', `${RIGHT}clock: { n4: { offset: 1s } }\n`, '4:10', 'no member is called "n4"', 'did you mean "n1"?'],
  ['a cost that there is not', `${RIGHT}costs: { deletMicros: 1 }\n`, '4:10', 'unknown key "deletMicros" in costs', 'did you mean "deleteMicros"?'],
])('%s', ([, text, place, message, suggestion]) => {
  expect(mistakesOf(text)).toEqual([[place, message, suggestion]]);
}); // biome-ignore format: a row a line

test('forecast.schema.json is what the parser says (npm run schema writes it)', () => {
  const shipped = JSON.parse(readFileSync(new URL('../../forecast.schema.json', import.meta.url), 'utf8'));
  expect(shipped).toEqual(JSON.parse(JSON.stringify(forecastJsonSchema())));
  const { files } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(files).toContain('forecast.schema.json');
});

test('parameters are judged as those of a scenario are, before anything runs', () => {
  const withParameter = (text: string) => mistakesOf(`${RIGHT}parameters: { ${text} }\n`);
  expect(withParameter('ttlMonitorSleepSec: 5')).toEqual([
    ['4:15', 'no parameter is called "ttlMonitorSleepSec"', 'did you mean "ttlMonitorSleepSecs"?'],
  ]);
  expect(withParameter('ttlMonitorSleepSecs: 0')).toEqual([
    ['4:36', 'Invalid value for parameter ttlMonitorSleepSecs: 0 is not greater than 0', 'its default is 60'],
  ]);
  const old = mistakesOf(`${RIGHT}version: "3.2"\nparameters: { ttlIndexDeleteTargetDocs: 5 }\n`);
  expect(old).toEqual([['5:15', '3.2 has no parameter "ttlIndexDeleteTargetDocs"', 'it is one of 8.2, 8.0, 7.0']]);
});

test('a parameter without effect is left out, with a warning', () => {
  const { parameters, warnings } = parseForecast(`${RIGHT}\nparameters: { wiredTigerCacheSizeGB: 1 }\n`, 'a.yaml');
  expect(parameters).toEqual({});
  expect(warnings.map(({ message }) => message)).toEqual([
    '"wiredTigerCacheSizeGB" has no effect here: the storage engine here has no such option',
  ]);
});
