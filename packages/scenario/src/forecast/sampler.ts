import {
  decodePromoted,
  encodeDocument,
  encodeName,
  findField,
  readTimestamp,
  required,
  type TraceEvent,
} from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { firstBatch } from '../stage/answers.ts';
import type { Members } from '../stage/members.ts';
import type { Forecast } from './forecast.ts';
import type { Sample } from './forecastResult.ts';
import { COLLECTION, DATABASE, type Population } from './population.ts';
import { ReplicationLag } from './replicationLag.ts';
import type { Scale } from './scale.ts';

/** A day is looked at once a minute. */
const SAMPLES = 1440;
const LEAST_MICROS = 5_000_000;

const TS = encodeName('ts');
const COLL_STATS = encodeDocument({ collStats: COLLECTION, $db: DATABASE });
const OPLOG_STATS = encodeDocument({ collStats: 'oplog.rs', $db: 'local' });
const OLDEST_ENTRY = encodeDocument({
  find: 'oplog.rs',
  sort: { $natural: 1 },
  limit: 1,
  $db: 'local',
  $readPreference: { mode: 'primaryPreferred' },
});
const NEWEST_ENTRY = encodeDocument({
  find: 'oplog.rs',
  sort: { $natural: -1 },
  limit: 1,
  $db: 'local',
  $readPreference: { mode: 'primaryPreferred' },
});

/** Looks at the set by commands, as an operator would; what happens between two looks comes from the trace. */
export class Sampler {
  readonly everyMicros: number;
  readonly samples: Sample[] = [];
  readonly #factor: number;
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #population: Population;
  readonly #startMicros: number;
  readonly #lag: ReplicationLag;
  /** Most simulated documents since the last look: that there were, and that were expired. */
  #peak = { documents: 0, expired: 0 };
  /** What a document weighs, as the last look at any has told. */
  #bytesEach = 0;
  /** How many simulated documents there are beyond those that the population knows to be taken: fewer, as they are deleted. */
  #others = 0;

  constructor(
    { durationMicros }: Forecast,
    { factor }: Scale,
    set: ReplicaSetApi,
    members: Members,
    population: Population,
    startMicros: number,
  ) {
    this.everyMicros = Math.max(Math.ceil(durationMicros / SAMPLES / LEAST_MICROS) * LEAST_MICROS, LEAST_MICROS);
    this.#factor = factor;
    this.#set = set;
    this.#members = members;
    this.#population = population;
    this.#startMicros = startMicros;
    this.#lag = new ReplicationLag(set.memberNames);
  }

  /** @param atMicros since the forecast's start, which is now */
  take(atMicros: number): void {
    const on = this.#members.primary() ?? this.#members.withData()[0];
    const notExpired = this.#population.notExpired(atMicros);
    // While every process is down there is nobody to ask, and nothing changes.
    if (on === undefined)
      return void this.samples.push({ ...required(this.samples.at(-1), 'look before this one'), atMicros });
    const { count = 0, size = 0 } = decodePromoted(this.#set.ask(on, COLL_STATS));
    const oplog = decodePromoted(this.#set.ask(on, OPLOG_STATS));
    if (count > 0) this.#bytesEach = size / count;
    const documents = Math.max(this.#peak.documents, count) * this.#factor;
    this.samples.push({
      atMicros,
      documents,
      expired: Math.max(this.#peak.expired, count - notExpired) * this.#factor,
      bytes: Math.round(documents * this.#bytesEach),
      oplogBytes: Number(oplog.size ?? 0) * this.#factor,
      oplogWindowMs: (this.#secondsOf(on, NEWEST_ENTRY) - this.#secondsOf(on, OLDEST_ENTRY)) * 1000,
      lagMs: this.#lag.at(this.#set.nowMicros) / 1000,
    });
    this.#peak = { documents: 0, expired: 0 };
    this.#others = count - this.#population.taken;
  }

  /**
   * Between two looks there are most documents, and most that are expired, when a pass begins; what there is then follows
   * from the last look, from what was taken since, and from what was deleted.
   */
  observe(event: TraceEvent): void {
    this.#lag.observe(event);
    if (event.type === 'ttlDeleted') this.#others -= event.dates.length;
    if (event.type !== 'ttlMonitor' || event.phase !== 'inPass' || this.samples.length === 0) return;
    const notExpired = this.#population.notExpired(event.atMicros - this.#startMicros);
    const documents = this.#others + this.#population.taken;
    this.#peak = {
      documents: Math.max(this.#peak.documents, documents),
      expired: Math.max(this.#peak.expired, documents - notExpired),
    };
  }

  /** When an entry was written, by its timestamp. */
  #secondsOf(on: string, find: Uint8Array): number {
    const [entry] = firstBatch(this.#set.ask(on, find));
    const ts = entry && findField(entry, TS);
    return ts ? readTimestamp(ts).t : 0;
  }
}
