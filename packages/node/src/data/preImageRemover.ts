import type { PreImageCounters } from '@replsim/operations';
import type { Oplog } from '@replsim/oplog';
import { clusterParameter, type ParameterStore, preImageAge } from '@replsim/pipeline';
import { compareTimestamps, PRE_IMAGES_NS, toHex } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from './checkpoints.ts';

/** What the removal of images asks of its member. */
export interface PreImageRemoverHost {
  readonly oplog: Oplog;
  readonly parameters: ParameterStore;
  readonly checkpoints: Checkpoints;
  readonly counters: { readonly preImages: PreImageCounters };
}

const TIMER = 'preImages';

/**
 * Removes images that no stream can ask for any more, as the oplog has lost their entries, or that are as old as
 * `changeStreamOptions` lets them become. Each member does so for itself; nobody is told. It begins with the first image.
 * Upstream: change_stream_expired_pre_image_remover.cpp, change_stream_pre_images_collection_manager.cpp.
 */
export class PreImageRemover {
  readonly #core: Core;
  readonly #host: PreImageRemoverHost;
  #isArmed = false;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: PreImageRemoverHost) {
    this.#core = core;
    this.#host = host;
  }

  /** Images were there when the process started. */
  start(): void {
    if ((this.#core.engine.collection(PRE_IMAGES_NS)?.count ?? 0) > 0) this.kept();
  }

  /** There is an image. */
  kept(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#arm();
  }

  #onTimer(): void {
    this.#removeExpired();
    this.#arm();
  }

  /** The job wakes at whole multiples of its sleep since the process started. */
  #arm(): void {
    const { now, startedMicros } = this.#core;
    const sleepMicros = this.#host.parameters.number('expiredChangeStreamPreImageRemovalJobSleepSecs') * 1_000_000;
    const sinceMicros = (now.monotonicMicros - startedMicros) % sleepMicros;
    this.#core.setTimer(TIMER, this.#fire, sleepMicros - sinceMicros);
  }

  #removeExpired(): void {
    const { engine, now, traits } = this.#core;
    const images = engine.collection(PRE_IMAGES_NS);
    if (!images) return;
    const oldest = this.#host.oplog.first.ts;
    const options = clusterParameter(engine, 'changeStreamOptions', traits.maxWireVersion);
    const keptForMs = expireAfterMs(options);
    const { preImages: counters } = this.#host.counters;
    const expired: number[] = [];
    const collections = new Set<string>();
    for (const records = images.records(); records.next(); ) {
      const { bytes } = records.document;
      const { uuid, ts, operationTimeMs } = preImageAge(bytes);
      collections.add(toHex(uuid));
      const isOld = keptForMs !== undefined && operationTimeMs <= now.wallMs - keptForMs;
      if (!isOld && compareTimestamps(ts, oldest) >= 0) continue;
      expired.push(records.recordId);
      counters.bytesDeleted += bytes.length;
      counters.maxStartWallTimeMillis = Math.max(counters.maxStartWallTimeMillis, operationTimeMs);
    }
    counters.docsDeleted += expired.length;
    counters.scannedCollections += 1;
    counters.scannedInternalCollections += collections.size;
    for (const recordId of expired) engine.delete(PRE_IMAGES_NS, recordId);
    if (expired.length > 0) this.#host.checkpoints.dirty();
  }
}

/** Undefined for `off`. */
function expireAfterMs(parameter: Readonly<Record<string, unknown>>): number | undefined {
  const { expireAfterSeconds } = (parameter as { preAndPostImages: { expireAfterSeconds: unknown } }).preAndPostImages;
  return expireAfterSeconds === 'off' ? undefined : Number(expireAfterSeconds) * 1000;
}
