/** A state, and the number from which on it holds. */
export interface Version<State> {
  readonly version: number;
  readonly state: State;
}

/** The index of the last version at or below; -1 if there is none. */
export function lastAtOrBelow(versions: readonly Version<unknown>[], version: number): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (versions[middle]!.version <= version) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Drops what is older than the last version at or below. */
export function dropBefore(versions: Version<unknown>[], version: number): void {
  const last = lastAtOrBelow(versions, version);
  if (last > 0) versions.splice(0, last);
}
