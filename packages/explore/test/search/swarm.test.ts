import { Random } from '@replsim/kernel';
import { DRAWN_KINDS, drawnKindOf, drawOf, parseScenario, USUAL_KINDS } from '@replsim/scenario';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft, type FaultAt } from '../../src/search/draft.ts';
import { drawFaults, type Field } from '../../src/search/swarm.ts';
import { W1 } from './scenarios.ts';

const field: Field = {
  members: ['n1', 'n2', 'n3'],
  befalls: ['n1', 'n2', 'n3'],
  specs: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }],
  overlap: false,
  hasClients: true,
  heal: true,
  kinds: USUAL_KINDS,
  fromMicros: 10_000_000,
  toMicros: 90_000_000,
  overMicros: 90_000_000,
  atMost: 6,
};
const drawn = (seed: number, more: Partial<Field> = {}) => drawFaults({ ...field, ...more }, Random.fromSeed(seed));
const kindOf = ({ fault }: FaultAt) => Object.keys(fault)[0]!;
/** By the texts of the steps that they become. */
const kindsOf = (faults: readonly FaultAt[]) =>
  parseScenario(Draft.of(TO_READ).add(faults).text, 'a.yaml').meanwhile.map(({ step }) => drawnKindOf(step.text));

const TO_READ = W1.replace('members: 3', 'members: 3, spares: [s1]');

test('the same chance draws the same', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(drawn(seed)).toEqual(drawn(seed));
    }),
  );
});

test('all of them begin and end in their time, in order', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const instants = drawn(seed).map(({ atMicros }) => atMicros);
      expect(instants).toEqual([...instants].sort((a, b) => a - b));
      for (const at of instants) {
        expect(at).toBeGreaterThanOrEqual(field.fromMicros);
        expect(at).toBeLessThanOrEqual(field.toMicros);
      }
    }),
  );
});

test('what was done to a process is over before the next is done to it', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const state = new Map<unknown, string>();
      for (const { fault } of drawn(seed, { kinds: ['kill', 'shutdown', 'pause'], atMost: 12 })) {
        const [[kind, member]] = Object.entries(fault) as [[string, unknown]];
        const before = state.get(member) ?? 'running';
        if (kind === 'start') expect(['kill', 'shutdown']).toContain(before);
        else if (kind === 'resume') expect(before).toBe('pause');
        else expect(before).toBe('running');
        state.set(member, kind === 'start' || kind === 'resume' ? 'running' : kind);
      }
      for (const left of state.values()) expect(left).toBe('running');
    }),
  );
});

test('a member that shuts down has time to do so before it is started', () => {
  const runs = Array.from({ length: 200 }, (_, seed) => drawn(seed, { kinds: ['shutdown'], atMost: 1 }));
  const lasted = runs.flatMap(([begin, end]) => (begin && end ? [end.atMicros - begin.atMicros] : []));
  expect(lasted.length).toBeGreaterThan(40);
  expect(Math.min(...lasted)).toBeGreaterThanOrEqual(30_000_000);
});

test('every kind is drawn by some seed, and runs differ in their mix', () => {
  const specs = [...field.specs, { name: 's1', spare: true }];
  const runs = Array.from({ length: 300 }, (_, seed) => kindsOf(drawn(seed, { specs, kinds: DRAWN_KINDS })));
  const kinds = new Set(runs.flat());
  for (const kind of DRAWN_KINDS) expect(kinds).toContain(kind);
  expect(new Set(runs.map((run) => [...new Set(run)].sort().join())).size).toBeGreaterThan(20);
});

test('whatever is drawn can be read as what happens meanwhile', () => {
  for (let seed = 0; seed < 300; seed++) {
    const { text } = Draft.of(W1).add(drawn(seed, { atMost: 12 }));
    expect(parseScenario(text, `${seed}.yaml`).meanwhile.length).toBeGreaterThanOrEqual(0);
  }
});

test('only some members are befallen, and the others stand on the other side', () => {
  for (let seed = 0; seed < 200; seed++)
    for (const { fault } of drawn(seed, { befalls: ['n2'] })) {
      const [[kind, input]] = Object.entries(fault) as [[string, unknown]];
      if (kind === 'partition') expect(input).toEqual([['n2'], ['n1', 'n3']]);
      else if ((input as { on?: string }).on === 'primary') expect(JSON.stringify(input)).toMatch(/"n2"|members\.1\./);
      else if (kind !== 'heal')
        expect(JSON.stringify(input)).toMatch(/^("n2"|\{"(member|on|from)":"n2"|\{"between":\["n2")/);
    }
});

test('what may last has no end in some runs, and nothing else is done to that member', () => {
  const runs = Array.from({ length: 200 }, (_, seed) => drawn(seed, { kinds: ['kill'], heal: false }));
  const lasting = runs.filter((run) => run.filter(({ fault }) => 'kill' in fault).length > run.length / 2);
  expect(lasting.length).toBeGreaterThan(50);
  for (const run of runs)
    for (const name of field.members) {
      const own = run.flatMap(({ fault }) => Object.entries(fault).filter(([, on]) => on === name));
      expect(own.map(([kind]) => kind)).toEqual(own.map((_, i) => (i % 2 === 0 ? 'kill' : 'start')));
    }
});

test('what voids promises is drawn only where somebody asks for it', () => {
  const asked = DRAWN_KINDS.filter((kind) => drawOf(kind)?.onlyAsked !== undefined);
  expect(asked).toEqual(['lostWrites', 'tornWrite', 'misdirectedWrite', 'forceReconfig']);
  expect(USUAL_KINDS).toEqual(DRAWN_KINDS.filter((kind) => !asked.includes(kind)));
});

describe('what may overlap', () => {
  const overlapping = (seed: number, more: Partial<Field> = {}) =>
    drawn(seed, { overlap: true, atMost: 30, kinds: ['kill', 'shutdown', 'pause'], ...more });

  test('is done to a member that something is done to already, and is passed over where it cannot be done', () => {
    const all = Array.from({ length: 50 }, (_, seed) => overlapping(seed));
    expect(all.flat().every(({ optional }) => optional === true)).toBe(true);
    const isOverlapping = all.some((run) =>
      run.some(({ fault }, i) => 'kill' in fault && run[i + 1] && Object.keys(run[i + 1]!.fault)[0] !== 'start'),
    );
    expect(isOverlapping).toBe(true);
  });

  test('but not changes of who has a say', () => {
    for (let seed = 0; seed < 100; seed++) {
      let open = 0;
      for (const fault of overlapping(seed, { kinds: ['takeVote', 'removeMember'] })) {
        const isEnd = /addMember|votes":1/.test(JSON.stringify(fault.fault));
        open += isEnd ? -1 : 1;
        expect(open).toBeLessThanOrEqual(1);
      }
    }
  });
});

test('no vote is taken where a primary could then commit alone', () => {
  const arbiter = { name: 'n3', config: { arbiterOnly: true } };
  const specs = [{ name: 'n1' }, { name: 'n2' }, arbiter];
  expect(drawn(1, { specs, kinds: ['takeVote', 'removeMember'] })).toEqual([]);
});

test('what was taken from a config comes back as the file had it', () => {
  const config = { priority: 2, tags: { dc: 'east' } };
  const specs = [{ name: 'n1' }, { name: 'n2', config }, { name: 'n3' }];
  for (let seed = 0; seed < 20; seed++)
    for (const { fault } of drawn(seed, { specs, befalls: ['n2'], kinds: ['takeVote', 'removeMember'] })) {
      if ('addMember' in fault) expect(fault.addMember).toMatchObject({ on: 'primary', name: 'n2', ...config });
      if (/votes":1/.test(JSON.stringify(fault)))
        expect(fault.reconfig).toMatchObject({ update: { $set: { 'members.1.votes': 1, 'members.1.priority': 2 } } });
    }
});

describe('only what can be done is drawn', () => {
  test('to a member that is alone', () => {
    const kinds = Array.from({ length: 100 }, (_, seed) =>
      drawn(seed, { members: ['n1'], befalls: ['n1'], hasClients: false }),
    )
      .flat()
      .map(kindOf);
    expect([...new Set(kinds)].sort()).toEqual([
      'clock',
      'cpu',
      'disk',
      'hold',
      'kill',
      'pause',
      'release',
      'restart',
      'resume',
      'shutdown',
      'start',
      'truncateOplog',
    ]);
  });

  test('in no time at all', () => {
    expect(drawn(1, { toMicros: field.fromMicros })).toEqual([]);
  });
});
