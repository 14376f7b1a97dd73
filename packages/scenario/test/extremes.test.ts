import { describe, expect, test } from 'vitest';
import { InvalidScenario, parseScenario } from '../src/index.ts';

// Numbers and lengths of time that no set can have: the check says so, and no run is needed to find out.

interface Found {
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

const shown = ({
  line,
  column,
  message,
  suggestion,
}: {
  line: number;
  column: number;
  message: string;
  suggestion?: string | undefined;
}) => `${line}:${column} ${message}${suggestion ? `; ${suggestion}` : ''}`;

function check(text: string): Found {
  try {
    return { mistakes: [], warnings: parseScenario(text, 'far.yaml').warnings.map(shown) };
  } catch (error) {
    if (error instanceof InvalidScenario) return { mistakes: error.mistakes.map(shown), warnings: [] };
    throw error;
  }
}

/** The first step stands on line 3. */
const steps = (...list: string[]) => `name: A claim\nsteps:\n${list.map((step) => `  - ${step}\n`).join('')}`;
const CHECK = 'expect: { primary: any }';
const settings = (text: string) => `name: A claim\nreplicaSet: { settings: { ${text} } }\nsteps: [{ ${CHECK} }]\n`;

const LEAST = {
  heartbeatIntervalMillis: 1,
  heartbeatTimeoutSecs: 1,
  electionTimeoutMillis: 1,
  catchUpTimeoutMillis: -1,
  catchUpTakeoverDelayMillis: -1,
};

describe.for(Object.entries(LEAST))('settings.%s', ([name, least]) => {
  test.for([least, 2_147_483_647])('%d is possible', (value) => {
    expect(check(settings(`${name}: ${value}`)).mistakes).toEqual([]);
  });
  test.for([
    [String(least - 1), `expected ${least} or more`],
    ['2147483648', 'expected at most 2147483647, as a config holds it'],
    ['3000000000', 'expected at most 2147483647, as a config holds it'],
    ['1e300', 'expected a whole number within ±9007199254740991'],
    ['-1e300', 'expected a whole number within ±9007199254740991'],
    ['1.5', 'expected a whole number'],
    ['.inf', 'expected a whole number'],
  ])('%s is not', ([value, message]) => {
    expect(check(settings(`${name}: ${value}`)).mistakes).toEqual([`2:${29 + name.length} ${message}`]);
  });
});

test('the modes of a set ask for tags that its members have', () => {
  const set = (tags: string) =>
    `name: A claim\nreplicaSet:\n  members: [n1, { name: n2, tags: { ${tags} } }]\n  settings: { getLastErrorModes: { far: { dc: 1 } } }\nsteps: [{ ${CHECK} }]\n`;
  expect(check(set('dc: a')).mistakes).toEqual([]);
  expect(check(set('dcs: a')).mistakes).toEqual(['4:43 no member has the tag "dc"; did you mean "dcs"?']);
  expect(check(set('room: a')).mistakes).toEqual(['4:43 no member has the tag "dc"; known here: room']);
  expect(check(settings('getLastErrorModes: { far: { dc: 3000000000 } }')).mistakes).toEqual([
    '2:59 expected at most 2147483647, as a config holds it',
  ]);
});

test.for(['times', 'skip'])('%s of a fail point is an int32', (mode) => {
  const point = (value: number) => steps(`failPoint: { on: n1, name: failCommand, mode: { ${mode}: ${value} } }`);
  expect(check(point(2_147_483_647)).mistakes).toEqual([]);
  expect(check(point(2_147_483_648)).mistakes.join()).toContain('expected at most 2147483647');
});

describe('maxStalenessSeconds', () => {
  const preference = (value: string) => `readPreference: { mode: secondary, maxStalenessSeconds: ${value} }`;
  const places: Record<string, (value: string) => string> = {
    'a find': (value) => `find: { in: a.b, ${preference(value)} }`,
    'a command': (value) => `run: { command: { count: b }, ${preference(value)} }`,
    'a workload': (value) => `workload: { name: w, every: 1s, find: { in: a.b }, ${preference(value)} }`,
  };
  const ROWS = [
    ['-1', 'maxStalenessSeconds is at least 90: below that a client cannot tell; without a limit, leave it out'],
    ['0', 'maxStalenessSeconds is at least 90: below that a client cannot tell; write at least 90, or leave it out'],
    ['89', 'maxStalenessSeconds is at least 90: below that a client cannot tell; write at least 90, or leave it out'],
    ['2147483648', 'maxStalenessSeconds is at most 2147483647; without a limit, leave it out'],
    ['1e300', 'expected seconds, a whole number within ±9007199254740991'],
    ['90.5', 'expected seconds, a whole number'],
  ] as const;
  const all = Object.keys(places).flatMap((place) => ROWS.map(([value, message]) => [place, value, message] as const));

  test.for(all)('%s: %s', ([place, value, message]) => {
    expect(check(steps(places[place]!(value))).mistakes.map((each) => each.replace(/^\d+:\d+ /, ''))).toEqual([
      message,
    ]);
  });
  test.for(Object.keys(places))('%s with what is possible', (place) => {
    for (const value of ['90', '2147483647']) expect(check(steps(places[place]!(value))).mistakes).toEqual([]);
  });

  test('a client that seldom asks its members can tell only more', () => {
    const workload = (heartbeatFrequencyMS: number) =>
      steps(
        `${places['a workload']!('120').slice(0, -2)}, options: { heartbeatFrequencyMS: ${heartbeatFrequencyMS} } }`,
      );
    expect(check(workload(110_000)).mistakes).toEqual([]);
    expect(check(workload(110_001)).mistakes.join()).toContain('maxStalenessSeconds is at least 121');
  });
});

describe('steps that pass 2106 together', () => {
  const ENDS = 'here the clocks pass 2106, where they end';
  const LESS = 'let less than 29621d pass in all, or choose an earlier "epoch"';

  test.for<[steps: string[], place: string]>([
    [['advance: 29622d'], '3:14'],
    [['advance: 20000d', 'advance: 20000d'], '4:14'],
    [['advance: { to: 20000d }', 'advance: 9622d'], '4:14'],
    [['advance: 20000d', 'advance: { to: 29622d }'], '4:20'],
    [['repeat: { times: 5, steps: [{ advance: 10000d }] }'], '3:22'],
    [['repeat: { times: 5, steps: [{ repeat: { times: 5, steps: [{ advance: 2000d }] } }] }'], '3:22'],
    [['repeat: { for: 29622d, steps: [{ advance: 1d }] }'], '3:20'],
    [['advance: 20000d', 'always: { for: 20000d, primary: any }'], '4:20'],
    [['advance: 20000d', 'eventually: { after: 20000d, within: 20001d, primary: none }'], '4:26'],
    [['advance: 20000d', '{ at: 29622d, kill: n1 }'], '4:11'],
    [['advance: 20000d', '{ at: 29622d }'], '4:11'],
    [['transaction: { session: s, steps: [{ advance: 20000d }, { advance: 20000d }] }'], '3:72'],
  ])('%j', ([list, place]) => {
    expect(check(steps(...list, CHECK)).mistakes).toEqual([`${place} ${ENDS}; ${LESS}`]);
  });

  test.for<[steps: string[]]>([
    [['advance: 29621d']],
    [['advance: 20000d', 'advance: { to: 29000d }']],
    [['eventually: { within: 29622d, primary: any }', 'eventually: { within: 29622d, primary: any }']],
    // The first turn goes there, and the others stay.
    [['repeat: { times: 5, steps: [{ advance: { to: 10000d } }] }']],
    // When clocks that are set come to an end, the run finds out.
    [['clock: { on: all, jump: -10000d }', 'advance: 29622d']],
  ])('%j stays before it', ([list]) => {
    expect(check(steps(...list, CHECK)).mistakes).toEqual([]);
  });

  test('the epoch, the offset of a clock and its drift count', () => {
    const head = (text: string, advance: string) =>
      `name: A claim\n${text}\nsteps:\n  - advance: ${advance}\n  - ${CHECK}\n`;
    const late = 'epoch: 2106-02-07T06:00:00Z';
    expect(check(head(late, '28m15s')).mistakes).toEqual([]);
    expect(check(head(late, '28m16s')).mistakes).toEqual([
      `4:14 ${ENDS}; let less than 28m16s pass in all, or choose an earlier "epoch"`,
    ]);
    const ahead = 'replicaSet: { members: [n1, { name: n2, clock: { offset: 29600d } }] }';
    expect(check(head(ahead, '21d')).mistakes).toEqual([]);
    expect(check(head(ahead, '22d')).mistakes).toHaveLength(1);
    const fast = 'replicaSet: { members: [{ name: n1, clock: { drift: 1000000 } }] }';
    expect(check(head(fast, '14810d')).mistakes).toEqual([]);
    expect(check(head(fast, '14811d')).mistakes).toHaveLength(1);
  });
});

describe('virtual time that takes hours', () => {
  const warned = (days: number, hours: number) =>
    `up to here ${days} days of virtual time pass; even an idle set of this size takes about ${hours} h of real time for them; let less time pass; to reach a distant date, set the clocks: "- clock: { on: all, jump: 365d }"`;

  test.for<[head: string, steps: string[], warnings: string[]]>([
    ['', ['advance: 365d'], []],
    ['', ['advance: 20000d'], [`4:14 ${warned(20_000, 29)}`]],
    ['', ['advance: 500d', 'advance: 500d', 'advance: 500d'], [`5:14 ${warned(1000, 1)}`]],
    ['', ['repeat: { times: 1000, steps: [{ advance: 1d }] }'], [`4:22 ${warned(1000, 1)}`]],
    ['', ['always: { for: 1000d, not: { primary: n2 } }'], [`4:20 ${warned(1000, 1)}`]],
    ['', ['eventually: { within: 20000d, primary: any }'], []],
    ['replicaSet: { members: 1 }', ['advance: 5000d'], []],
    ['replicaSet: { members: 7 }', ['advance: 365d'], [`4:14 ${warned(365, 3)}`]],
  ])('%s %j', ([head, list, warnings]) => {
    const text = `name: A claim\n${head}\nsteps:\n${[...list, CHECK].map((step) => `  - ${step}\n`).join('')}`;
    expect(check(text)).toEqual({ mistakes: [], warnings });
  });
});
