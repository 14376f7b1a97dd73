/** Runs of an exploration or a measurement, counted from 0: from the first up to the one before `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Which of several equal parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The runs of a part. The parts follow each other, and none has more than one run more than another. */
export function shardRange(count: number, { index, of }: Shard): Range {
  // Not `count * index / of`: counts go up to where whole numbers end.
  const size = Math.floor(count / of);
  const larger = count % of;
  const begin = (part: number) => part * size + Math.min(part, larger);
  return { from: begin(index - 1), to: begin(index) };
}

/** All runs in ranges of a size. */
export function rangesOf(count: number, size: number): readonly Range[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    from: i * size,
    to: Math.min((i + 1) * size, count),
  }));
}
