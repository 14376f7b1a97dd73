/** Where each bucket begins, in µs: by powers of two, and halfway between them from 2048 to 2^21. */
const LOWER_BOUNDS: readonly number[] = [
  0,
  ...powers(1, 10),
  ...Array.from({ length: 10 }, (_, i) => [2 ** (i + 11), 3 * 2 ** (i + 10)]).flat(),
  ...powers(21, 40),
];

function powers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
}

/** How a histogram is shown. */
export interface HistogramView {
  readonly histograms: boolean;
  /** What is as slow as this, in ms, shares one bucket. */
  readonly slowMs?: number | undefined;
}

/** How long operations of one kind took. Upstream: operation_latency_histogram.cpp, OperationLatencyHistogram. */
export class LatencyHistogram {
  count = 0;
  /** In sum. Unit: µs. */
  micros = 0;
  readonly #buckets = new Map<number, number>();

  add(micros: number): void {
    this.count += 1;
    this.micros += micros;
    const bucket = bucketOf(micros);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  report({ histograms, slowMs }: HistogramView) {
    return {
      ...(histograms && { histogram: this.#shown(slowMs) }),
      latency: BigInt(Math.round(this.micros)),
      ops: BigInt(this.count),
    };
  }

  #shown(slowMs = Infinity): { readonly micros: bigint; readonly count: bigint }[] {
    const buckets = [...this.#buckets].sort(([a], [b]) => a - b);
    const isSlow = ([micros]: readonly [number, number]) => Math.floor(micros / 1000) >= slowMs;
    const slow = buckets.filter(isSlow);
    const shown = buckets.filter((bucket) => !isSlow(bucket));
    const [first] = slow;
    // Upstream tells the shared bucket from others by 1 more than where the first of them begins.
    if (first) shown.push([first[0] + 1, slow.reduce((sum, [, count]) => sum + count, 0)]);
    return shown.map(([micros, count]) => ({ micros: BigInt(micros), count: BigInt(count) }));
  }
}

function bucketOf(micros: number): number {
  let found = 0;
  for (const bound of LOWER_BOUNDS) {
    if (bound > micros) break;
    found = bound;
  }
  return found;
}
