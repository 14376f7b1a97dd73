/**
 * Percentiles by the nearest rank: the smallest value that at least this share of all values does not exceed, so each is a value that there
 * is. @param share 0 to 1 @returns its index among `count` sorted values; `count` is at least 1
 */
export function nearestRank(count: number, share: number): number {
  return Math.max(Math.ceil(share * count) - 1, 0);
}
