/** Which versions of which collections are kept, and for how long. */
import { invariant } from '@replsim/protocol';
import type { Collection } from '../collection/collection.ts';
import type { CatalogEntry } from './catalogEntry.ts';
import { type Catalog, type CatalogChanges, CatalogVersions } from './catalogVersions.ts';
import { dropBefore, lastAtOrBelow, type Version } from './version.ts';

/** Of old versions one is kept in so many numbers: who reads between them applies what was written since. */
const THINNED_TO = 1000;

/** Versions are numbers that the engine's owner gives out, ascending; what they stand for is the owner's business. */
export class VersionHistory {
  readonly #catalogs = new CatalogVersions();
  /** Which collection got a version, in the order of versions, so that forgetting need not look at all collections. */
  #marks: Version<CatalogEntry>[] = [];
  #forgotten = 0;
  /** Every version that is kept, ascending, whatever was touched in it; the state says whether more than documents was. */
  #kept: Version<boolean>[] = [];
  /** Up to this one versions have been thinned. */
  #thinnedTo = Number.NEGATIVE_INFINITY;
  #oldest = Number.NEGATIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  /** The versions between these two can be read. Both are -Infinity before the first mark. */
  get oldest(): number {
    return this.#oldest;
  }

  get newest(): number {
    return this.#newest;
  }

  /** @param changes which replicated collections were created, dropped or renamed since the last mark, if any was */
  mark(version: number, touched: readonly CatalogEntry[], changes: CatalogChanges | undefined): void {
    invariant(version > this.#newest, `version ${version} does not follow ${this.#newest}`);
    if (this.#newest === Number.NEGATIVE_INFINITY) this.#oldest = version;
    this.#newest = version;
    this.#kept.push({ version, state: changes !== undefined || touched.some(({ reshaped }) => reshaped) });
    if (changes) this.#catalogs.push(version, changes);
    for (const entry of touched) {
      entry.touched = false;
      entry.reshaped = false;
      entry.versions.push({ version, state: entry.collection.snapshot() });
      this.#marks.push({ version, state: entry });
    }
  }

  /** Drops what is older than the newest version at or below `version`. */
  forgetBefore(version: number): void {
    const floor = Math.min(version, this.#newest);
    if (floor <= this.#oldest) return;
    this.#catalogs.dropBefore(floor);
    dropBefore(this.#kept, floor);
    this.#oldest = this.#kept[0]?.version ?? floor;
    const marks = this.#marks;
    let at = this.#forgotten;
    for (let mark = marks[at]; mark !== undefined && mark.version <= floor; mark = marks[++at]) {
      dropBefore(mark.state.versions, floor);
    }
    this.#forgotten = at;
    if (at > marks.length / 2) {
      this.#marks = marks.slice(at);
      this.#forgotten = 0;
    }
  }

  /**
   * Of the versions older than the newest at or below `version` keeps one in `every`, and those in which more than documents
   * changed. What 300 seconds of writes leave behind is so bounded by what they wrote, and not by how often.
   */
  thinBefore(version: number, every = THINNED_TO): void {
    const kept = this.#kept;
    const first = lastAtOrBelow(kept, this.#thinnedTo);
    const last = lastAtOrBelow(kept, version);
    // In large pieces, as each costs a look at all that is kept of what was touched.
    if (last - first < every) return;
    const from = Math.max(first, 0);
    const left: Version<boolean>[] = [];
    const dropped = new Set<number>();
    let newest = kept[from]!.version;
    for (let i = from + 1; i < last; i++) {
      const each = kept[i]!;
      if (each.state || kept[i + 1]!.version - newest > every) {
        left.push(each);
        newest = each.version;
      } else dropped.add(each.version);
    }
    this.#kept = [...kept.slice(0, from + 1), ...left, ...kept.slice(last)];
    this.#thinnedTo = kept[last]!.version;
    this.#letGo(dropped);
  }

  /** Drops states that no version which is kept shows. */
  #letGo(dropped: ReadonlySet<number>): void {
    const entries = new Set<CatalogEntry>();
    for (const { version, state } of this.#marks) if (dropped.has(version)) entries.add(state);
    const gone = new Map<CatalogEntry, Set<number>>();
    for (const entry of entries) {
      const { versions } = entry;
      const unseen = versions.filter(({ version }, i) => {
        const next = versions[i + 1];
        if (!next || !dropped.has(version)) return false;
        const shown = this.#kept[lastAtOrBelow(this.#kept, next.version)]!.version;
        const before = shown < next.version ? shown : this.#versionBefore(next.version);
        return before < version;
      });
      const numbers = new Set(unseen.map(({ version }) => version));
      gone.set(entry, numbers);
      const left = versions.filter(({ version }) => !numbers.has(version));
      versions.length = 0;
      for (const each of left) versions.push(each);
    }
    this.#marks = this.#marks.filter(({ version, state }, i) => i >= this.#forgotten && !gone.get(state)?.has(version));
    this.#forgotten = 0;
  }

  #versionBefore(version: number): number {
    return this.#kept[lastAtOrBelow(this.#kept, version) - 1]?.version ?? Number.NEGATIVE_INFINITY;
  }

  /** The newest mark at or below `version`; -Infinity if there is none. */
  markedUpTo(version: number): number {
    return this.#kept[lastAtOrBelow(this.#kept, version)]?.version ?? Number.NEGATIVE_INFINITY;
  }

  /** The replicated collections of a version, by the names that they had. It is valid until the next call. */
  catalogAt(version: number): Catalog {
    invariant(version >= this.#oldest && this.#newest > Number.NEGATIVE_INFINITY, `version ${version} is not kept`);
    return this.#catalogs.at(version);
  }

  /** A collection that `catalogAt` lists, as it was. */
  stateAt(entry: CatalogEntry, version: number): Collection {
    const found = entry.versions[lastAtOrBelow(entry.versions, version)];
    invariant(found, `${entry.collection.ns} has no version ${version}`);
    return found.state;
  }

  /** Drops what is newer than `version`. */
  forgetAfter(version: number): void {
    this.#newest = Math.min(this.#newest, version);
    this.#thinnedTo = Math.min(this.#thinnedTo, version);
    this.#catalogs.forgetAfter(version);
    this.#kept.length = lastAtOrBelow(this.#kept, version) + 1;
    const marks = this.#marks;
    const left = Math.max(lastAtOrBelow(marks, version) + 1, this.#forgotten);
    for (const { state } of marks.splice(left)) {
      state.versions.length = lastAtOrBelow(state.versions, version) + 1;
    }
  }
}
