import { type MemberState, MemberStates, type Now, VERSIONS } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  initialTtlState,
  step,
  type TtlEffect,
  type TtlEvent,
  type TtlMember,
  type TtlState,
  type VisitResult,
} from '../src/index.ts';
import { Driver, done, EPOCH_MS, failed, index, PRIMARY } from './drive.ts';

const anyMember: fc.Arbitrary<TtlMember> = fc.oneof(
  fc.record({
    memberState: fc.constantFrom(...(Object.keys(MemberStates) as MemberState[])),
    acceptsWrites: fc.boolean(),
    fsyncLocked: fc.boolean(),
  }),
  { weight: 3, arbitrary: fc.constant(PRIMARY) },
);

const anyResult: fc.Arbitrary<VisitResult> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.nat(30), fc.boolean()).map(([deleted, more]) => done(deleted, more)) },
  fc.constant<VisitResult>({ type: 'gone' }),
  fc.constant<VisitResult>({ type: 'notReady' }),
  fc.constant<VisitResult>({ type: 'skipped', logId: 6909100, attr: {} }),
  fc.constantFrom(failed(371, false), failed(175, false), failed(11602, true)),
);

const anyIndex = fc.record({
  collectionUuid: fc.constantFrom('c1', 'c2'),
  indexName: fc.constantFrom('a', 'b', undefined),
  local: fc.boolean(),
});

const anySetting = fc.oneof(
  fc.record({ name: fc.constant('ttlMonitorSleepSecs' as const), value: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ name: fc.constant('ttlMonitorSubPassTargetSecs' as const), value: fc.nat(5) }),
  fc.record({ name: fc.constant('ttlCollLowPrioritySubpassLimit' as const), value: fc.nat(2) }),
  fc.record({ name: fc.constant('ttlMonitorEnabled' as const), value: fc.boolean() }),
);

/** `answered`: the visit under way ends so, if there is one; `wakes`: time goes on to the timer, if one is set. */
type Happening = TtlEvent | { type: 'answered'; result: VisitResult } | { type: 'wakes' };

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: anyResult.map((result) => ({ type: 'answered', result }) as const) },
  { weight: 3, arbitrary: fc.constant({ type: 'wakes' } as const) },
  fc.constant({ type: 'timer' } as const), // stray
  anyResult.map((result) => ({ type: 'visitEnded', visit: 0, result }) as const), // of an earlier life
  { weight: 2, arbitrary: fc.constant({ type: 'passBegins' } as const) }, // stray, unless the monitor hangs
  anyMember.map((member) => ({ type: 'memberChanged', member }) as const),
  fc.array(anyIndex, { maxLength: 3 }).map((entries) => ({ type: 'indexesRegistered', entries }) as const),
  anySetting.map((setting) => ({ type: 'parameterChanged', ...setting }) as const),
  fc.constant({ type: 'passGivenUp', code: 11601, errmsg: 'operation was interrupted' } as const),
);

const anyRun = fc.record({
  version: fc.constantFrom('8.2', '8.0', '7.0', '6.0', '4.4', '3.2'),
  hasReplSetConfig: fc.boolean(),
  mode: fc.constantFrom('replSet', 'standalone'),
  hangs: fc.boolean(),
  happenings: fc.array(fc.tuple(fc.nat(3_000_000), anyHappening), { minLength: 20, maxLength: 80 }),
});
type Run = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

interface Step {
  now: Now;
  before: TtlState;
  event: TtlEvent;
  after: TtlState;
  effects: TtlEffect[];
}

function walk({ version, happenings, hangs, ...process }: Run): Step[] {
  let state = initialTtlState(VERSIONS[version], PRIMARY);
  let atMicros = 0;
  let timerMicros: number | undefined;
  const steps: Step[] = [];
  const perform = (event: TtlEvent) => {
    const now: Now = { monotonicMicros: atMicros, wallMs: EPOCH_MS + Math.floor(atMicros / 1000) };
    const [after, effects] = step(state, event, now);
    steps.push({ now, before: state, event, after, effects });
    state = after;
    for (const effect of effects) {
      if (effect.type === 'setTimer') timerMicros = atMicros + Math.round(effect.afterMs * 1000);
      if (effect.type === 'setAlarm') timerMicros = Math.max((effect.wallMs - EPOCH_MS) * 1000, atMicros);
      if (effect.type === 'cancelTimer') timerMicros = undefined;
      if (effect.type === 'passDue' && !hangs) perform({ type: 'passBegins' });
    }
  };
  for (const indexName of ['a', 'b']) perform(index(indexName));
  perform({ type: 'started', process });
  for (const [afterMicros, happening] of happenings) {
    if (happening.type === 'wakes') {
      if (timerMicros === undefined) continue;
      atMicros = Math.max(atMicros, timerMicros);
      timerMicros = undefined;
      perform({ type: 'timer' });
      continue;
    }
    atMicros += afterMicros;
    if (happening.type !== 'answered') perform(happening);
    else if (state.phase.type === 'inPass' && state.phase.visit)
      perform({ type: 'visitEnded', visit: state.phase.visit.id, result: happening.result });
  }
  return steps;
}

const always = (holds: (steps: Step[], run: Run) => void) =>
  fc.assert(
    fc.property(anyRun, (run) => holds(walk(run), run)),
    { seed: 1, numRuns: 500 },
  );

const isVisit = (effect: TtlEffect) => effect.type === 'visit';

test('whatever happens, only a member that accepts writes asks for a deletion', () => {
  let visits = 0;
  always((steps) => {
    for (const { after, effects } of steps) {
      if (!effects.some(isVisit)) continue;
      visits++;
      const local = after.phase.type === 'inPass' && after.phase.visit?.entry.local;
      expect(after.member.acceptsWrites || local).toBe(true);
    }
  });
  expect(visits).toBeGreaterThan(500); // the property is about something
});

test('on line B, only a primary or a standalone begins a pass', () => {
  always((steps, { version }) => {
    if (version !== '8.2') return;
    for (const { before, after } of steps)
      if (before.phase.type !== 'inPass' && after.phase.type === 'inPass')
        expect(['PRIMARY', 'STANDALONE']).toContain(after.member.memberState);
  });
});

test('a standalone on replica-set data asks for nothing at all', () => {
  always((steps, { mode, hasReplSetConfig }) => {
    if (mode !== 'standalone' || !hasReplSetConfig) return;
    expect(steps.flatMap(({ effects }) => effects)).toEqual([]);
  });
});

test('passes never overlap: one visit at a time, and a pass waits for just one', () => {
  always((steps) => {
    let pending: number | undefined;
    for (const { event, after, effects } of steps) {
      if (event.type === 'visitEnded' && event.visit === pending) pending = undefined;
      for (const effect of effects) {
        if (effect.type === 'ttlPassEnded') expect(pending).toBeUndefined();
        if (effect.type !== 'visit') continue;
        expect(pending).toBeUndefined();
        pending = effect.visit;
      }
      expect(after.phase.type === 'inPass' ? after.phase.visit?.id : undefined).toBe(pending);
    }
  });
});

test('the counters are the sums of what happened, and a readable pass has a sub-pass', () => {
  always((steps, { version }) => {
    let [passes, readablePasses, subPasses, deleted] = [0, 0, 0, 0];
    for (const { before, event, after, effects } of steps) {
      const ended = effects.find((effect) => effect.type === 'ttlPassEnded');
      if (event.type === 'visitEnded' && event.visit !== 0 && event.result.type === 'done')
        deleted += event.result.deleted;
      if (ended) {
        passes++;
        subPasses += ended.subPasses;
        if (ended.subPasses > 0) readablePasses++;
      }
      const { metrics, phase } = after;
      // Before 5.0 a pass counts already when it begins.
      const early = VERSIONS[version].ttlPassCountedAtStart;
      expect(metrics.passes).toBe(passes + (early && phase.type === 'inPass' ? 1 : 0));
      expect(metrics.deletedDocuments).toBe(deleted);
      expect(metrics.subPasses).toBe(subPasses + (phase.type === 'inPass' ? phase.subPasses : 0));
      expect(metrics.subPasses).toBeGreaterThanOrEqual(readablePasses);
      expect(metrics.passes).toBeGreaterThanOrEqual(before.metrics.passes);
    }
  });
});

test('who sleeps has a timer for the rest of the sleep, and nobody else has one', () => {
  always((steps) => {
    let armed = false;
    for (const { event, after, effects } of steps) {
      if (event.type === 'timer') armed = after.phase.type === 'sleeping' && armed;
      for (const effect of effects) {
        if (effect.type === 'setTimer' || effect.type === 'setAlarm') armed = true;
        if (effect.type === 'setTimer') expect(effect.afterMs).toBeGreaterThan(0);
        if (effect.type === 'cancelTimer') armed = false;
      }
      expect(armed).toBe(after.phase.type === 'sleeping');
    }
  });
});

test('the pass begins at the first millisecond after the deadline that the last change left, or at the change', () => {
  const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000_000 }), fc.integer({ min: 1, max: 100 })));
  fc.assert(
    fc.property(changes, (gaps) => {
      const monitor = new Driver().start();
      let wakeMicros = 60_001_000;
      for (const [gapMicros, value] of gaps) {
        const atMicros = monitor.atMicros + gapMicros;
        if (wakeMicros <= atMicros) break;
        monitor.runTo(atMicros / 1_000_000);
        monitor.send({ type: 'parameterChanged', name: 'ttlMonitorSleepSecs', value });
        wakeMicros = Math.max(value * 1_000_000 + 1000, atMicros);
        if (wakeMicros === atMicros) break;
      }
      monitor.runTo(wakeMicros / 1_000_000);
      expect(monitor.times('ttlPassEnded')).toEqual([wakeMicros / 1_000_000]);
    }),
    { seed: 1 },
  );
});

test('the state is never changed in place', () => {
  always((steps) => {
    let last: TtlState | undefined;
    for (const { before, after } of steps) {
      if (last) expect(before).toBe(last);
      last = Object.freeze(after);
      Object.freeze(after.phase);
      Object.freeze(after.metrics);
    }
  });
});

test('on line B all visits of a pass judge by the clock at its beginning, on the others each by that of its own', () => {
  let later = 0;
  always((steps, { version }) => {
    let begunMs = 0;
    for (const { now, before, after, effects } of steps) {
      if (before.phase.type !== 'inPass') begunMs = now.wallMs;
      for (const effect of effects) {
        if (effect.type !== 'visit') continue;
        expect(effect.wallMs).toBe(version === '8.2' ? begunMs : now.wallMs);
        if (after.phase.type === 'inPass' && now.wallMs > begunMs) later++;
      }
    }
  });
  expect(later).toBeGreaterThan(100);
});

test('a round goes once over exactly those entries that may have more, and nobody waits for two rounds', () => {
  let secondVisits = 0;
  always((steps) => {
    /** Entries of the round under way that have not been visited, and those that will make up the next. */
    let due: string[] = [];
    let more: string[] = [];
    for (const { before, event, after, effects } of steps) {
      if (before.phase.type === 'inPass' && before.phase.visit && event.type === 'visitEnded') {
        const { entry, id } = before.phase.visit;
        const again = event.visit === id && event.result.type === 'done' && event.result.passTargetMet;
        if (again) more.push(nameOf(entry));
      }
      if (after.phase.type !== 'inPass') continue;
      const { subPass, visit } = after.phase;
      const beganNow = before.phase.type !== 'inPass' || before.phase.subPass.startedMicros !== subPass.startedMicros;
      for (const _ of effects.filter(isVisit)) {
        const name = nameOf(visit!.entry);
        if (beganNow || before.phase.type !== 'inPass' || before.phase.subPass.work !== subPass.work) {
          if (!beganNow && before.phase.type === 'inPass' && sameSubPass(before, after)) {
            // A new round of the same sub-pass: those that said so, in the order in which they said it.
            expect(subPass.work.map(nameOf)).toEqual(more);
            secondVisits++;
          }
          due = subPass.work.map(nameOf);
          more = [];
        }
        expect(due).toContain(name);
        // Whoever stood before it was visited, or may not be deleted from.
        due = due.slice(due.indexOf(name) + 1);
      }
    }
  });
  expect(secondVisits).toBeGreaterThan(100);
});

function nameOf({ collectionUuid, indexName }: { collectionUuid: string; indexName: string | undefined }): string {
  return `${collectionUuid}.${indexName}`;
}

function sameSubPass({ metrics }: TtlState, after: TtlState): boolean {
  return metrics.subPasses === after.metrics.subPasses;
}

test('a pass that is given up before it begins counts nothing, and the monitor sleeps', () => {
  let givenUp = 0;
  always((steps) => {
    for (const { before, event, after } of steps) {
      if (event.type !== 'passGivenUp' || before.phase.type !== 'awake') continue;
      givenUp++;
      expect(after.metrics).toEqual(before.metrics);
      expect(after.phase.type).toBe('sleeping');
    }
  });
  expect(givenUp).toBeGreaterThan(20);
});

test('priority is raised only for collections that the limit of sub-passes left with work, where there is such a limit', () => {
  let raised = 0;
  always((steps, { version }) => {
    for (const { before, after } of steps) {
      const more = after.metrics.collSubpassesIncreasedPriority - before.metrics.collSubpassesIncreasedPriority;
      expect(more).toBeGreaterThanOrEqual(0);
      raised += more;
      if (more === 0) continue;
      expect(['8.0', '7.0']).toContain(version);
      const { phase } = after;
      const counts = phase.type === 'inPass' ? [...phase.unexhausted.values()] : [];
      const limit = after.parameters.ttlCollLowPrioritySubpassLimit;
      expect(counts.filter((subPasses) => subPasses >= limit).length).toBeGreaterThanOrEqual(more);
    }
  });
  expect(raised).toBeGreaterThan(0);
});
