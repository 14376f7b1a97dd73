import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitCodes, InputError, type Io, main } from '@replsim/cli';
import { ReplSet } from '@replsim/replset';
import { forecastJsonSchema, scenarioJsonSchema } from '@replsim/scenario';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { repositoryFiles } from '../docs/markdown.ts';
import { type Place, placesOf, type Schema, withValue } from './places.ts';

// Whatever stands at whichever key of a file: it is read, or refused; what is read is played, and holds or does not. Exit code 3 is a bug of ours.

const folder = mkdtempSync(join(tmpdir(), 'replsim-any-scenario-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const scenarios = repositoryFiles.filter((path) => /^(scenarios\/|test\/everyStep).*\.yaml$/.test(path));
const places = placesOf(scenarioJsonSchema() as Schema, scenarios);
const ofForecasts = placesOf(
  forecastJsonSchema() as Schema,
  repositoryFiles.filter((path) => /^forecasts\/.*\.yaml$/.test(path)),
);

/** How many, in some 15 s of one core; `PROPERTY_SEED=7` tries others. */
const COUNTS = { scenarios: 200, played: 15, forecasts: 15 };

/** A value in YAML's flow style. */
const leaf = fc.constantFrom(
  ...[
    'null',
    '~',
    'true',
    'false',
    '0',
    '1',
    '-1',
    '3',
    '1.5',
    '-0.0',
    '.nan',
    '.inf',
    '-.inf',
    '1e400',
    '0x1F',
    '0o17',
  ],
  ...[
    '2147483647',
    '2147483648',
    '-2147483649',
    '9007199254740993',
    '9223372036854775808',
    '1e-7',
    '123456789012345678901234567890',
  ],
  ...[
    '""',
    '" "',
    'text',
    'any',
    'all',
    'primary',
    'secondaries',
    'n1',
    'n2',
    'nobody',
    'app.c',
    'app.',
    '.c',
    'a.b.c',
    '$now',
    '$i',
    '$rand',
  ],
  ...[
    '$x',
    '$',
    '"a\\0b"',
    '"\\ud800"',
    '"ä𝄞\\u2028"',
    '__proto__',
    'constructor',
    'toString',
    '"%s %d"',
    '"*"',
    '"a/b"',
    '"../x"',
    'off',
  ],
  ...[
    '0s',
    '-1s',
    '1s',
    '250ms',
    '0.5us',
    '1e400d',
    '99999999999d',
    '1h',
    '10',
    'PT1S',
    '2025-01-01T00:00:00Z',
    '12:00',
  ],
  ...['{ $date: "2025-01-01T00:00:00Z" }', '{ $date: { $numberLong: "9223372036854775807" } }', '{ $date: 1e20 }'],
  ...[
    '{ $oid: "0123456789abcdef01234567" }',
    '{ $uuid: "c8edabc3-f738-4ca3-b68d-ab92a91478a3" }',
    '{ $timestamp: { t: 0, i: 0 } }',
  ],
  ...[
    '{ $numberLong: "0" }',
    '{ $numberLong: "9223372036854775807" }',
    '{ $numberInt: "5" }',
    '{ $numberDouble: "NaN" }',
  ],
  ...[
    '{ $numberDouble: "Infinity" }',
    '{ $numberDecimal: "1E+6000" }',
    '{ $minKey: 1 }',
    '{ $maxKey: 1 }',
    '{ $undefined: true }',
  ],
  ...[
    '{ $binary: { base64: "AQID", subType: "00" } }',
    '{ $regularExpression: { pattern: "(", options: "z" } }',
    '{ $code: "x" }',
  ],
  ...[
    '{ $now: -90s }',
    '{ $now: { minus: 1h, times: x } }',
    '{ $plus: [$now, 1] }',
    '{ $rand: [1, 6] }',
    '{ $numberLong: x }',
    '{ $date: x }',
  ],
  ...['!!binary AQID', '!!set { a }', '!!str 5', '!x 5', '[]', '{}'],
);
const key = fc.constantFrom(
  ...[
    'a',
    'a.b',
    '_id',
    '__proto__',
    'constructor',
    '""',
    '$set',
    '$gt',
    '$in',
    '$x',
    '$date',
    'name',
    'on',
    'within',
    'for',
    'at',
    'member',
  ],
  ...['members', 'w', 'mode', 'times', 'n1', '1', 'latencyMs', 'insert', 'advance', 'count', '"a b"', 'null', 'true'],
);
const value = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`) },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(fc.tuple(key, tie('any')), { maxLength: 3, selector: ([name]) => name })
        .map((entries) => `{ ${entries.map(([name, each]) => `${name}: ${each}`).join(', ')} }`),
    },
  ),
})).any;

/** Some of what they give, the same under the same seed. */
function sample(of: readonly Place[], count: number) {
  const seen = fc.constantFrom(...of.flatMap(({ value = [] }) => value));
  const given = fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: seen });
  return fc.sample(fc.tuple(fc.constantFrom(...of), given), count);
}

async function call(...args: string[]) {
  const out: string[] = [];
  const said: string[] = [];
  const io: Io = { out: (text) => out.push(text), err: (text) => said.push(text), colours: false, progress: false };
  const code = await main(args, io);
  return { code, out: out.join(''), said: said.join('') };
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const LIMITS = { virtualMs: 40_000, events: 2_000 };

class LongEnough extends InputError {}

/** Ends a run that goes on for long, as what is no bug. */
function limitRuns(): void {
  const create = ReplSet.create.bind(ReplSet);
  vi.spyOn(ReplSet, 'create').mockImplementation(async (options) => {
    const set = await create(options);
    let events = 0;
    set.onTrace(({ atMicros }) => {
      events += 1;
      if (atMicros > 1000 * LIMITS.virtualMs || events > LIMITS.events) throw new LongEnough('long enough');
    });
    return set;
  });
}

interface Made {
  readonly place: Place;
  readonly value: string;
  readonly path: string;
}

const { scenarios: MADE, played: PLAYED, forecasts: FORECASTS } = COUNTS;
const made: readonly Made[] = sample(places, MADE).map(([place, given], index) => {
  const path = written(`${String(index).padStart(5, '0')}.yaml`, withValue(place, given));
  return { place, value: given, path };
});

test('every file of a folder is read or refused', async () => {
  const { code, out, said } = await call('check', folder);
  // A bug is told with its stack, and the file that it comes of is the first word.
  expect(said).not.toMatch(/^.*bug in replsim.*(\n {4}at .*)?/m);
  expect([ExitCodes.ok, ExitCodes.badInput]).toContain(code);
  for (const { path, place, value } of made)
    expect(out.includes(`${path}: `) || said.includes(`${path}:`), `${place.name}: ${value}`).toBe(true);
  right = made.filter(({ path }) => out.includes(`${path}: `));
  expect(right.length).toBeGreaterThan(MADE / 20);
});
let right: readonly Made[] = [];

test('what is read is played to some end', async () => {
  limitRuns();
  for (const { path, place, value } of right.slice(0, PLAYED)) {
    const { code, said } = await call('run', path);
    expect(code, `${place.name} in ${place.file}: ${value}\n${said}`).not.toBe(ExitCodes.bug);
  }
});

test('whatever stands in the others, good files are played', async () => {
  const bad = made.filter((each) => !right.includes(each));
  const good = ['-first.yaml', 'z-last.yaml'].map((name) => written(name, GOOD));
  const [first = '', last = ''] = good;
  const { code, out } = await call('run', first, ...bad.map(({ path }) => path), last);
  expect(out).toMatch(new RegExp(`2 passed, 0 failed, ${bad.length} errors\n$`));
  expect(code).toBe(ExitCodes.badInput);
});
const GOOD = 'name: One that holds\nsteps: [{ advance: 30s }, { expect: { primary: any } }]\n';

test('a forecast with whatever value is played or refused', async () => {
  limitRuns();
  for (const [index, [place, given]] of sample(ofForecasts, FORECASTS).entries()) {
    const path = written(`${index}.forecast`, withValue(place, given));
    const { code, said } = await call('forecast', '--documents', '50', path);
    expect(code, `${place.name} in ${place.file}: ${given}\n${said}`).not.toBe(ExitCodes.bug);
  }
});

const STEP = 'name: x\nsteps:\n  - ';
test.for<[of: string, text: string, told: RegExp | undefined]>([
  ['steps in steps that are no list', `${STEP}repeat: { times: 2, steps: 31 }\n`, /:3:\d+: expected a list of steps/],
  [
    'and those in them',
    `${STEP}repeat: { times: 2, steps: [{ transaction: { session: s, steps: {} } }] }\n`,
    /list of steps/,
  ],
  ['a step that is nothing', `${STEP}\n  - advance: 1s\n`, /:3:\d+: a step is a map/],
  ['a step in a step that is nothing', `${STEP}repeat: { times: 2, steps: [null] }\n`, /a step is a map/],
  ['an integer that JavaScript has not', `${STEP}find: { in: a.b, took: { $gte: 9007199254740993 } }\n`, undefined],
  ['and one beyond all', `${STEP}find: { in: a.b, took: { $gte: 123456789012345678901234567890 } }\n`, undefined],
])('%s', async ([, text, told]) => {
  const { code, said } = await call('check', written('one.yml', text));
  expect(said).toMatch(told ?? /^$/);
  expect(code).toBe(told === undefined ? ExitCodes.ok : ExitCodes.badInput);
});
