import {
  type BsonValue,
  encodeDocument,
  encodeName,
  findField,
  type Now,
  VERSIONS,
  type VersionTraits,
} from '@replsim/protocol';
import {
  initialTtlState,
  step,
  type TtlEffect,
  type TtlEvent,
  type TtlMember,
  type TtlParameters,
  type TtlState,
  type TtlVisit,
  type VisitResult,
} from '../src/index.ts';

/** Time zero on the wall clock, ms. */
export const EPOCH_MS = Date.UTC(2025, 0, 1);

export const PRIMARY: TtlMember = { memberState: 'PRIMARY', acceptsWrites: true, fsyncLocked: false };
export const SECONDARY: TtlMember = { memberState: 'SECONDARY', acceptsWrites: false, fsyncLocked: false };

export const index = (indexName: string, collectionUuid = 'c1', local = false) =>
  ({ type: 'indexesRegistered', entries: [{ collectionUuid, indexName, local }] }) as const;

/** How each visit goes and how long it takes. */
export type Answer = (visit: TtlVisit) => { result: VisitResult; tookMicros?: number };

export const nothingDue: Answer = () => ({ result: done(0) });

export function done(deleted: number, passTargetMet = false, ns = 'app.sessions', tookMicros = 0): VisitResult {
  return { type: 'done', ns, deleted, tookMicros, passTargetMet };
}

export function failed(code: number, interrupted: boolean): VisitResult {
  return { type: 'failed', ns: 'app.sessions', code, errmsg: 'as the test wants it', interrupted };
}

/** A monitor in virtual time: it keeps the one timer, answers visits, and notes what was done when. */
export class Driver {
  state: TtlState;
  atMicros = 0;
  answer: Answer = nothingDue;
  /** Every effect, with the second of virtual time at which it came. */
  readonly seen: { atSecs: number; effect: TtlEffect }[] = [];
  /** The fail point between passes holds the monitor up, until the test sends `passBegins` or `passGivenUp`. */
  hangs = false;
  #wallOffsetMs = 0;
  #timerMicros: number | undefined;
  #alarmWallMs: number | undefined;
  #visit: { atMicros: number; event: TtlEvent } | undefined;

  constructor(options: { traits?: VersionTraits; member?: TtlMember; parameters?: Partial<TtlParameters> } = {}) {
    const { traits = VERSIONS['8.0'], member = PRIMARY, parameters } = options;
    this.state = initialTtlState(traits, member, parameters);
  }

  get now(): Now {
    return { monotonicMicros: this.atMicros, wallMs: EPOCH_MS + this.#wallOffsetMs + Math.floor(this.atMicros / 1000) };
  }

  start(
    process = { mode: 'replSet', hasReplSetConfig: true } as {
      mode: 'replSet' | 'standalone';
      hasReplSetConfig: boolean;
    },
  ): this {
    return this.send({ type: 'started', process });
  }

  send(event: TtlEvent): this {
    const [state, effects] = step(this.state, event, this.now);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    return this;
  }

  /** Puts the wall clock forward, or back. */
  jump(byMs: number): this {
    this.#wallOffsetMs += byMs;
    return this;
  }

  /** Lets time run to this second. */
  runTo(secs: number): this {
    const untilMicros = Math.round(secs * 1_000_000);
    for (;;) {
      const timer = this.#timerMicros ?? this.#alarmMicros();
      const visit = this.#visit?.atMicros ?? Number.POSITIVE_INFINITY;
      const next = Math.min(timer, visit);
      if (next > untilMicros) break;
      this.atMicros = next;
      const event: TtlEvent = visit <= timer ? this.#visit!.event : { type: 'timer' };
      if (visit <= timer) this.#visit = undefined;
      else this.#disarm();
      this.send(event);
    }
    this.atMicros = untilMicros;
    return this;
  }

  /** The effects of one type, in order. */
  effects<T extends TtlEffect['type']>(type: T): Extract<TtlEffect, { type: T }>[] {
    return this.seen.map(({ effect }) => effect).filter((effect) => effect.type === type) as never;
  }

  /** The seconds at which effects of this type came. */
  times(type: TtlEffect['type']): number[] {
    return this.seen.filter(({ effect }) => effect.type === type).map(({ atSecs }) => atSecs);
  }

  logIds(): number[] {
    return this.effects('log').map(({ line }) => line.id);
  }

  #perform(effect: TtlEffect): void {
    this.seen.push({ atSecs: this.atMicros / 1_000_000, effect });
    if (['setTimer', 'setAlarm', 'cancelTimer'].includes(effect.type)) this.#disarm();
    if (effect.type === 'setTimer') this.#timerMicros = this.atMicros + Math.round(effect.afterMs * 1000);
    if (effect.type === 'setAlarm') this.#alarmWallMs = effect.wallMs;
    if (effect.type === 'passDue' && !this.hangs) this.send({ type: 'passBegins' });
    if (effect.type === 'visit') this.#answer(effect);
  }

  #disarm(): void {
    this.#timerMicros = undefined;
    this.#alarmWallMs = undefined;
  }

  #alarmMicros(): number {
    if (this.#alarmWallMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max((this.#alarmWallMs - EPOCH_MS - this.#wallOffsetMs) * 1000, this.atMicros);
  }

  #answer(effect: TtlVisit): void {
    if (this.#visit) throw new Error('two visits at a time');
    const { result, tookMicros = 0 } = this.answer(effect);
    const event: TtlEvent = { type: 'visitEnded', visit: effect.visit, result };
    this.#visit = { atMicros: this.atMicros + tookMicros, event };
  }
}

const V = encodeName('v');

/** A JS value (or one of the bson package's) where it lies in BSON. */
export function bsonValue(value: unknown): BsonValue {
  return findField(encodeDocument({ v: value }), V)!;
}
