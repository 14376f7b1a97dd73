import { type Costs, type MongodVersion, required } from '@replsim/protocol';
import type { MemberSpec } from '@replsim/replset';
import type { ScenarioError } from '../file/scenarioError.ts';

/** What may go wrong in a forecast. */
export const OUTAGES = ['kill primary', 'no majority', 'monitor off', 'pause secondary'] as const;
export type OutageKind = (typeof OUTAGES)[number];

export interface Outage {
  /** From the forecast's start, µs. */
  readonly atMicros: number;
  readonly forMicros: number;
  readonly what: OutageKind;
}

/** How many documents are inserted a second at a time of the day; between two such times it changes evenly. */
export interface RatePoint {
  /** From midnight, µs. */
  readonly atMicros: number;
  readonly perSecond: number;
}

/** A forecast that has been read and found right; `runForecast` makes it. */
export interface Forecast {
  readonly file: string;
  /** What of the file has no effect. */
  readonly warnings: readonly ScenarioError[];
  readonly name: string;
  readonly seed: number;
  readonly version: MongodVersion | undefined;
  /** The time of day at which it begins, µs from midnight. */
  readonly startMicros: number;
  readonly durationMicros: number;
  readonly members: readonly MemberSpec[];
  /** One point for a steady rate; else by time of day. */
  readonly rate: readonly RatePoint[];
  readonly expireAfterSeconds: number;
  readonly documentBytes: number;
  /** How many there are at the start; `steady`: as many as if it had always gone on like this. */
  readonly documentsAtStart: number | 'steady';
  /** Indexes beside `_id` and the TTL index. */
  readonly indexes: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly costs: Partial<Costs>;
  readonly oplogSizeMB: number;
  readonly outages: readonly Outage[];
}

export const DAY_MICROS = 86_400_000_000;

/** Documents a second, so long after the forecast's start; before it, as on any other day. */
export function rateAt({ rate, startMicros }: Pick<Forecast, 'rate' | 'startMicros'>, afterMicros: number): number {
  const time = (((startMicros + afterMicros) % DAY_MICROS) + DAY_MICROS) % DAY_MICROS;
  const next = rate.findIndex(({ atMicros }) => atMicros > time);
  const from = required(rate.at(next <= 0 ? -1 : next - 1), 'rate before that time');
  const to = required(rate[Math.max(next, 0)], 'rate after that time');
  const span = (to.atMicros - from.atMicros + DAY_MICROS) % DAY_MICROS;
  if (span === 0) return from.perSecond;
  const into = (time - from.atMicros + DAY_MICROS) % DAY_MICROS;
  return from.perSecond + ((to.perSecond - from.perSecond) * into) / span;
}

/** How many documents are inserted in a time, by steps of at most a minute. */
export function documentsIn(forecast: Pick<Forecast, 'rate' | 'startMicros'>, from: number, to: number): number {
  if (to <= from) return 0;
  const steps = Math.min(Math.max(Math.ceil((to - from) / 60_000_000), 1), 100_000);
  const step = (to - from) / steps;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += (rateAt(forecast, from + (i + 0.5) * step) * step) / 1_000_000;
  return sum;
}
