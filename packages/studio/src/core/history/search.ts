/** How many of them, ordered by time, stand at or before an instant. */
export function countUpTo<T>(ordered: readonly T[], timeOf: (each: T) => number, atMicros: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(ordered[middle]!) <= atMicros) low = middle + 1;
    else high = middle;
  }
  return low;
}
