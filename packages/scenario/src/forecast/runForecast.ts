import { CommandError, DEFAULT_COSTS, encodeDocument } from '@replsim/protocol';
import type { ReplicaSetApi, ReplSetOptions } from '@replsim/replset';
import { Lateness } from '../lateness/lateness.ts';
import { type BrokenInvariant, type CreateSet, MAX_BROKEN, type Observer } from '../play.ts';
import { Members } from '../stage/members.ts';
import { Arrivals } from './arrivals.ts';
import { evaluate } from './evaluate.ts';
import type { Forecast } from './forecast.ts';
import type { ForecastResult, Sample } from './forecastResult.ts';
import { begin } from './outage.ts';
import { COLLECTION, DATABASE, Population, TTL_INDEX } from './population.ts';
import { Sampler } from './sampler.ts';
import { DEFAULT_BUDGET, documentsAtStart, type Scale, scaledSet, scaleOf } from './scale.ts';

export interface ForecastOptions {
  /** Instead of the forecast's own. */
  readonly seed?: number;
  /** How many documents to simulate at most; default 100,000. */
  readonly budget?: number;
  /** Those that watch the run: the invariants. */
  readonly observers?: readonly Observer[];
  /** Called now and then with how much of the time has passed, 0 to 1. */
  readonly onProgress?: (part: number) => void;
}

/** Time zero's day; which one it is makes no difference. */
const DAY_MS = 1_735_689_600_000;
/** Long enough to elect somebody. */
const ELECTION_MICROS = 60_000_000;

/**
 * Runs a forecast on a set that is made for it: elects a primary, loads the documents that there are at the start, lets
 * the time pass and looks again and again.
 * @throws CommandError when the set does not start or refuses its documents
 */
export async function runForecast(
  forecast: Forecast,
  create: CreateSet,
  options: ForecastOptions = {},
): Promise<ForecastResult> {
  const scale = scaleOf(forecast, options.budget ?? DEFAULT_BUDGET);
  const seed = options.seed ?? forecast.seed;
  const loadMicros = loadingTime(forecast);
  const set = await create(optionsOf(forecast, scale, seed, loadMicros));
  try {
    const run = new Run(forecast, scale, set, loadMicros, options);
    await run.load();
    const samples = await run.pass();
    const notInserted = run.lost * scale.factor;
    const { broken, lateness } = run;
    return {
      ...evaluate({ forecast, scale, seed, lateness, samples, notInserted, loadMicros }),
      brokenInvariants: broken,
    };
  } finally {
    await set.close();
  }
}

/** How the set is made: as the forecast says, for documents that stand for many, some time before it begins. */
function optionsOf(forecast: Forecast, { factor }: Scale, seed: number, loadMicros: number): ReplSetOptions {
  const { members, oplogSizeMB, startMicros, version } = forecast;
  const { costs, parameters } = scaledSet(forecast, factor);
  return {
    members: members.map((member) => ({ ...member, oplogSizeMB: oplogSizeMB / factor })),
    seed,
    ...(version && { version }),
    costs,
    parameters,
    epochMs: DAY_MS + startMicros / 1000 - loadMicros / 1000,
  };
}

/** More than the documents at the start take to be on all members, in whole minutes; the same at any scale. */
function loadingTime(forecast: Forecast): number {
  const costs = { ...DEFAULT_COSTS, ...forecast.costs };
  const { applyEntryMicros, fetchEntryMicros, indexKeyMicros, insertMicros, scanKeyMicros } = costs;
  const keys = (2 + forecast.indexes) * indexKeyMicros;
  const each = insertMicros + keys + applyEntryMicros + fetchEntryMicros + scanKeyMicros;
  const load = 3 * documentsAtStart(forecast) * each;
  return Math.ceil((2 * ELECTION_MICROS + load) / 60_000_000) * 60_000_000;
}

/** One run of one forecast. */
class Run {
  readonly lateness = new Lateness();
  readonly broken: BrokenInvariant[] = [];
  readonly #forecast: Forecast;
  readonly #scale: Scale;
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #population: Population;
  readonly #sampler: Sampler;
  readonly #startMicros: number;
  readonly #options: ForecastOptions;

  constructor(forecast: Forecast, scale: Scale, set: ReplicaSetApi, startMicros: number, options: ForecastOptions) {
    this.#forecast = forecast;
    this.#scale = scale;
    this.#set = set;
    this.#members = new Members(set);
    this.#population = new Population(set, this.#members, forecast, startMicros);
    this.#startMicros = startMicros;
    this.#options = options;
    this.#sampler = new Sampler(forecast, scale, set, this.#members, this.#population, startMicros);
    set.onTrace((event) => {
      this.lateness.observe(event);
      this.#sampler.observe(event);
      for (const observe of options.observers ?? []) {
        const broken = observe(event);
        if (broken && this.broken.length < MAX_BROKEN) this.broken.push(broken);
      }
    });
  }

  get lost(): number {
    return this.#population.lost;
  }

  /** A primary, the collection with its indexes, and the documents that there are at the start. */
  async load(): Promise<void> {
    const { expireAfterSeconds, documentsAtStart: given, indexes } = this.#forecast;
    const set = this.#set;
    const elected = await set.runUntil(() => this.#members.primary() !== undefined, ELECTION_MICROS);
    const primary = this.#members.primary();
    if (!elected || primary === undefined)
      throw new CommandError('PrimarySteppedDown', 'nobody was elected within a minute');
    const more = Array.from({ length: indexes }, (_, i) => ({ key: { [`f${i + 1}`]: 1 }, name: `f${i + 1}` }));
    const ttl = { key: { at: 1 }, name: TTL_INDEX, expireAfterSeconds };
    const created = set.send(
      primary,
      encodeDocument({ createIndexes: COLLECTION, indexes: [ttl, ...more], $db: DATABASE }),
    );
    const livesMicros = expireAfterSeconds * 1_000_000;
    const count = given === 'steady' ? 0 : Math.round(given / this.#scale.factor);
    const instants =
      given === 'steady'
        ? new Arrivals(this.#forecast, this.#scale.factor).between(-livesMicros, 0)
        : Array.from({ length: count }, (_, i) => Math.floor(-livesMicros + (livesMicros * (i + 0.5)) / count));
    this.#population.add(instants);
    await set.runUntil(() => created.reply !== undefined, this.#startMicros);
    this.#population.send(this.#forecast.members.length);
    const loaded = await set.runUntil(() => this.#population.settled, this.#startMicros);
    if (!loaded) throw new CommandError('ExceededTimeLimit', 'the documents at the start take too long to load');
    await set.advanceTo(this.#startMicros);
  }

  /** The forecast's own time. */
  async pass(): Promise<Sample[]> {
    const { durationMicros } = this.#forecast;
    const sampler = this.#sampler;
    const arrivals = new Arrivals(this.#forecast, this.#scale.factor);
    const tick = tickOf(this.#forecast);
    let inserted = 0;
    for (const moment of moments(this.#forecast, tick, sampler.everyMicros)) {
      await this.#set.advanceTo(this.#startMicros + moment.atMicros);
      await moment.happen?.(this.#set, this.#members);
      if (moment.inserts) {
        this.#population.add(arrivals.between(inserted, moment.atMicros));
        inserted = moment.atMicros;
        this.#population.send(1);
      }
      if (moment.samples) {
        sampler.take(moment.atMicros);
        this.#options.onProgress?.(moment.atMicros / durationMicros);
      }
    }
    return sampler.samples;
  }
}

interface Moment {
  readonly atMicros: number;
  readonly inserts?: boolean;
  readonly samples?: boolean;
  readonly happen?: (set: ReplicaSetApi, members: Members) => Promise<void>;
}

/** Documents go to the set in as many commands as a day has steps of ten seconds; often enough for their lives. */
function tickOf({ durationMicros, expireAfterSeconds }: Forecast): number {
  const most = Math.max(durationMicros / 8640, 1_000_000);
  return Math.round(Math.max(Math.min(most, (expireAfterSeconds * 1_000_000) / 10), 100_000));
}

/** What happens when; documents come half-way between, so that none is sent at the very moment of an outage or a look. */
function moments(forecast: Forecast, tick: number, sampleEvery: number): Moment[] {
  const list: Moment[] = [];
  for (const outage of forecast.outages) {
    let end: (() => Promise<void>) | undefined;
    list.push({
      atMicros: outage.atMicros,
      happen: async (set, members) => {
        end = begin(outage, set, members);
      },
    });
    list.push({ atMicros: outage.atMicros + outage.forMicros, happen: async () => end?.() });
  }
  for (let i = 0; (i + 0.5) * tick < forecast.durationMicros; i++)
    list.push({ atMicros: Math.floor((i + 0.5) * tick), inserts: true });
  for (let at = 0; at <= forecast.durationMicros; at += sampleEvery) list.push({ atMicros: at, samples: true });
  return list.sort((a, b) => a.atMicros - b.atMicros);
}
