import type { Random } from './random.ts';

/** How a directed link treats messages. */
export interface LinkSettings {
  /** Each message takes a time drawn evenly from `[min, max]`. Unit: ms, fractions allowed down to a microsecond. */
  readonly latencyMs: readonly [min: number, max: number];
  /** The probability that a message never arrives, 0 to 1. */
  readonly loss: number;
  /** The probability that a message that arrives does so twice, 0 to 1. */
  readonly duplicate: number;
  /** The probability that a message is held up for another latency and may be overtaken meanwhile, 0 to 1. */
  readonly reorder: number;
}

/** The link from one end to another. It may be kept, and follows every change of the network. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** Whether no partition or cut blocks it now. Checked when a message is sent, and again when it arrives. */
  readonly deliverable: boolean;
  /** The settings in force: the network's defaults, overridden by those of this link. */
  readonly settings: LinkSettings;
  /**
   * Decides the fate of one message that is sent at `nowMicros`.
   * On one channel a message never arrives before the one sent ahead of it, reordered ones aside; channels do not wait
   * for each other.
   * @returns when it arrives, in microseconds, earliest first: once as a rule, twice if duplicated, never if lost or blocked
   */
  send(channel: string, nowMicros: number): readonly number[];
  /**
   * The same for a message of a stream: what is lost is sent again until it arrives, once and in order, as over TCP.
   * @returns undefined if it is blocked, or everything is lost
   */
  sendStream(channel: string, nowMicros: number): number | undefined;
}

/** The implementation of Link, with the operations that only the network may use. */
export class DirectedLink implements Link {
  readonly from: string;
  readonly to: string;
  readonly #random: Random;
  /** Settings of this link alone. */
  overrides: Partial<LinkSettings> = {};
  #settings: LinkSettings;
  #minMicros = 0;
  #maxMicros = 0;
  #deliverable = true;
  /** For each channel, when its latest in-order message arrives. */
  readonly #latest = new Map<string, number>();
  #pruneAt = FEW_CHANNELS;

  constructor(from: string, to: string, random: Random, defaults: LinkSettings, deliverable: boolean) {
    this.from = from;
    this.to = to;
    this.#random = random;
    this.#settings = defaults;
    this.refresh(defaults, deliverable);
  }

  get deliverable(): boolean {
    return this.#deliverable;
  }

  get settings(): LinkSettings {
    return this.#settings;
  }

  /** Recomputes what `send` uses. The network calls it after every change, so that sending is cheap. */
  refresh(defaults: LinkSettings, deliverable: boolean): void {
    this.#settings = { ...defaults, ...this.overrides };
    [this.#minMicros, this.#maxMicros] = [microsOf(this.#settings.latencyMs[0]), microsOf(this.#settings.latencyMs[1])];
    this.#deliverable = deliverable;
  }

  send(channel: string, nowMicros: number): readonly number[] {
    if (!this.#deliverable || this.#random.chance(this.#settings.loss)) return NEVER;
    const arrival = this.#arrival(channel, nowMicros);
    if (!this.#random.chance(this.#settings.duplicate)) return [arrival];
    const copy = this.#arrival(channel, nowMicros);
    return copy < arrival ? [copy, arrival] : [arrival, copy];
  }

  sendStream(channel: string, nowMicros: number): number | undefined {
    const { loss } = this.#settings;
    if (!this.#deliverable || loss >= 1) return undefined;
    let sentMicros = nowMicros;
    for (let wait = RETRANSMIT_MICROS; this.#random.chance(loss); wait *= 2) sentMicros += wait;
    const latest = this.#latest.get(channel);
    const arrival = Math.max(sentMicros + this.#latency(), latest ?? 0);
    this.#remember(channel, arrival, latest, nowMicros);
    return arrival;
  }

  #arrival(channel: string, nowMicros: number): number {
    const latest = this.#latest.get(channel);
    const arrival = Math.max(nowMicros + this.#latency(), latest ?? 0);
    // Held up alone: later messages of the channel do not wait for it.
    if (this.#random.chance(this.#settings.reorder)) return arrival + this.#latency();
    this.#remember(channel, arrival, latest, nowMicros);
    return arrival;
  }

  #remember(channel: string, arrival: number, before: number | undefined, nowMicros: number): void {
    if (before === undefined) this.#forgetIdleChannels(nowMicros);
    this.#latest.set(channel, arrival);
  }

  #latency(): number {
    return this.#random.int(this.#minMicros, this.#maxMicros + 1);
  }

  /** An idle channel delays no message. Without this, the map would grow forever with a channel per request. */
  #forgetIdleChannels(nowMicros: number): void {
    if (this.#latest.size < this.#pruneAt) return;
    for (const [channel, latest] of this.#latest) if (latest <= nowMicros) this.#latest.delete(channel);
    this.#pruneAt = Math.max(FEW_CHANNELS, 2 * this.#latest.size);
  }
}

/** Rejects invalid settings with a RangeError. */
export function checkLinkSettings({ latencyMs, ...chances }: Partial<LinkSettings>): void {
  if (latencyMs !== undefined) {
    const [min, max] = latencyMs;
    if (!(min >= 0 && min <= max && max < Number.POSITIVE_INFINITY))
      throw new RangeError(`latencyMs must be [min, max] with 0 <= min <= max, not [${min}, ${max}]`);
  }
  for (const [name, chance] of Object.entries(chances))
    if (!(chance >= 0 && chance <= 1)) throw new RangeError(`${name} must be from 0 to 1, not ${chance}`);
}

/** How long a sender waits for an acknowledgement; doubled each time. Linux: TCP_RTO_MIN. */
const RETRANSMIT_MICROS = 200_000;
const NEVER: readonly number[] = Object.freeze([]);
const FEW_CHANNELS = 64;

function microsOf(ms: number): number {
  return Math.round(ms * 1_000);
}
