import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@replsim/kernel';
import { decodePromoted, encodeDocument, MemberStates, required, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, playTo } from '@replsim/scenario';
import { Reasons } from '@replsim/why';
import { expect, test } from 'vitest';
import { root } from '../docs/markdown.ts';
import { BEGUN_MICROS, HEALED_MICROS } from '../fuzz/drawing/drawScenario.ts';
import { drawnWithFaults } from '../fuzz/fuzz.ts';

// An answer that is wrong is worse than none: while sets live under random faults, what `Reasons` says from the trace alone is held
// against what the members themselves say at that instant.

const SEEDS = 10;
const CLIENTS = join(root, 'scenarios/clients');
const WITH_WORKLOADS = readdirSync(CLIENTS).filter(
  (name) => name.endsWith('.yaml') && readFileSync(join(CLIENTS, name), 'utf8').includes('- workload:'),
);
const COLLECTIONS = ['kept', 'counters', 'sessions'];
const STATES: ReadonlyMap<number, string> = new Map(
  Object.entries(MemberStates).map(([name, number]) => [number, name]),
);

/** Time between two looks. */
const LOOKS_MICROS = 1_000_000;

function ask(set: ReplSet, name: string, command: object): Record<string, unknown> {
  return decodePromoted(set.ask(name, encodeDocument(command)));
}

/** How often each kind of claim was made, so that none is held to be right for want of being made. */
const claims = new Map<string, number>();
const claimed = (kind: string) => claims.set(kind, (claims.get(kind) ?? 0) + 1);

class Judge {
  readonly reasons = new Reasons();
  readonly #random: Random;
  readonly wrong: string[] = [];

  constructor(seed: number) {
    this.#random = Random.fromSeed(seed).split('truth');
  }

  judge(set: ReplSet): void {
    this.reasons.passed(set.nowMicros);
    for (const name of set.memberNames) this.#member(set, name);
    this.#documents(set, this.#random.pick(set.memberNames));
  }

  #expect(set: ReplSet, kind: string, holds: boolean, said: readonly string[]): void {
    claimed(kind);
    const at = (set.nowMicros / 1e6).toFixed(6);
    if (!holds) this.wrong.push(`${at}: ${kind}: ${said.join(' | ')}`);
    const odd = said.find((text) => /undefined|NaN|\[object|Infinity/.test(text));
    if (odd !== undefined) this.wrong.push(`${at}: ${odd}`);
  }

  #member(set: ReplSet, name: string): void {
    const { running, paused } = set.status(name);
    const state = this.reasons.state(name);
    const [text = ''] = state;
    this.#expect(set, 'vote', true, this.reasons.vote(name));
    if (/^\w+ (is down|was never started)/.test(text)) return this.#expect(set, 'down', !running, state);
    this.#expect(set, 'running', running, state);
    if (!running) return;
    if (/has been paused/.test(text) || paused)
      return this.#expect(set, 'paused', paused && /has been paused/.test(text), state);
    const hello = ask(set, name, { hello: 1, $db: 'admin' });
    const primary = this.reasons.primary(name);
    const own = primary.filter((line) => line.startsWith(`${name} `) && !/^\S+ is primary, in term \d+$/.test(line));
    const writable = hello.isWritablePrimary === true;
    this.#expect(set, writable ? 'primary' : 'no primary', (own.length === 0) === writable, primary);
    const { myState, syncSourceHost } = ask(set, name, { replSetGetStatus: 1, $db: 'admin' });
    if (typeof myState !== 'number') return;
    const lag = this.reasons.data([name], '');
    const [, source] = /(?:its sync source|it fetches from|it could not fetch from) (n\d+)/.exec(lag.join()) ?? [];
    // A primary that catches up has a source, and its status does not tell which.
    if (source !== undefined && myState !== MemberStates.PRIMARY)
      this.#expect(set, 'sync source', syncSourceHost === `${source}:27017`, [`it is ${syncSourceHost}`, ...lag]);
    if (/no sync source/.test(lag.join())) this.#expect(set, 'no sync source', syncSourceHost === '', lag);
    const [, said = /initial sync/.test(text) ? 'STARTUP2' : ''] = / has been ([A-Z]+\d?) since/.exec(text) ?? [];
    this.#expect(set, said, said === STATES.get(myState), [`it is ${STATES.get(myState)}`, ...state]);
  }

  /** Whether documents are there, and whether nothing but the oplog's entries was needed to know. */
  #documents(set: ReplSet, name: string): void {
    const { running, paused } = set.status(name);
    if (!running || paused) return;
    const { myState } = ask(set, name, { replSetGetStatus: 1, $db: 'admin' });
    if (myState !== MemberStates.PRIMARY && myState !== MemberStates.SECONDARY) return;
    for (const collection of COLLECTIONS) {
      const id = collection === 'counters' ? this.#random.int(1, 4) : this.#random.int(1, 80);
      const find = { find: collection, filter: { _id: id }, $readPreference: { mode: 'nearest' }, $db: 'app' };
      const { cursor } = ask(set, name, find) as { cursor?: { firstBatch: unknown[] } };
      if (!cursor) continue;
      const found = cursor.firstBatch.length > 0;
      const told = this.reasons.document(`app.${collection}`, [id], name);
      const has = told.some((line) => /^\S+ (still )?has the document(, in an older version)?$/.test(line));
      this.#expect(set, found ? 'document' : 'no document', has === found, [`find says ${found}`, ...told]);
    }
  }
}

test.for(Array.from({ length: SEEDS }, (_, i) => 5001 + i))('seed %i: what is said is so', async (seed) => {
  const judge = new Judge(seed);
  const { text, seed: own = seed } = await drawnWithFaults(seed);
  let set: ReplSet | undefined;
  let looks = BEGUN_MICROS;
  const played = await playTo(
    parseScenario(text, 'drawn.yaml'),
    async (options) => {
      set = await ReplSet.create(options);
      return set;
    },
    HEALED_MICROS,
    {
      seed: own,
      onTrace: (event) => judge.reasons.observe(event),
      pace: async (nowMicros) => {
        if (nowMicros < looks) return;
        looks += LOOKS_MICROS;
        judge.judge(required(set, 'set that is played'));
      },
    },
  );
  await played.close();
  expect(judge.wrong).toEqual([]);
});

test.for(WITH_WORKLOADS)('%s: the ledger says the same', async (name) => {
  const reasons = new Reasons();
  const scenario = parseScenario(readFileSync(join(CLIENTS, name), 'utf8'), name);
  const onTrace = (event: TraceEvent) => reasons.observe(event);
  const { workloads } = await playScenario(scenario, (options) => ReplSet.create(options), { onTrace });
  for (const { workload, operation, operations } of workloads) {
    for (const { turn, outcome, opTime, lost, rolledBack = [] } of operations) {
      // What went as usual is asked about here and there.
      if (outcome === 'acknowledged' && !lost && turn % 7 !== 0) continue;
      const said = reasons.operation(workload, turn);
      const says = (text: string) => said.some((line) => line.includes(text));
      if (operation !== 'find') {
        expect([says(' wrote it at '), says('it is lost')], said.join('\n')).toEqual([!!opTime, !!lost]);
        for (const { member } of rolledBack) expect(says(`${member} rolled `), said.join('\n')).toBe(true);
        if (lost) claimed('lost');
      }
      expect(says('it was acknowledged'), said.join('\n')).toBe(outcome === 'acknowledged');
      expect(says('its client is waiting'), said.join('\n')).toBe(outcome === 'underWay');
      claimed(outcome);
    }
  }
});

test('every kind of claim was made', () => {
  for (const kind of [
    'down',
    'paused',
    'primary',
    'no primary',
    'SECONDARY',
    'RECOVERING',
    'STARTUP2',
    'document',
    'sync source',
    'lost',
    'acknowledged',
    'error',
  ])
    expect(claims.get(kind) ?? 0, kind).toBeGreaterThan(2);
});
