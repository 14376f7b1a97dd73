import type { MutatedRule } from './mutatedRule.ts';

const VERSIONS = {
  file: 'packages/storage/src/versions/versionHistory.ts',
  test: 'packages/storage/test/engine.test.ts',
};
const CATALOGS = { ...VERSIONS, file: 'packages/storage/src/versions/catalogVersions.ts' };
const HISTORY = {
  file: 'packages/node/src/replication/concerns/snapshotHistory.ts',
  test: 'packages/node/test/onSets/replication/concerns/snapshotHistory.test.ts',
};

export const storageRules: readonly MutatedRule[] = [
  {
    ...VERSIONS,
    from: 'if (floor <= this.#oldest) return;',
    to: 'if (floor < this.#oldest) return;',
    equal: 'with floor equal to the oldest version nothing lies before it, so that nothing is dropped',
    why: 'what is forgotten is not forgotten again',
  },
  {
    ...VERSIONS,
    from: 'this.#thinnedTo = Math.min(this.#thinnedTo, version);',
    to: '',
    test: 'packages/storage/test/versions/versionHistory.test.ts',
    why: 'what is written again after a rollback is thinned again',
  },
  {
    ...VERSIONS,
    from: 'this.#oldest = this.#kept[0]?.version ?? floor;',
    to: 'this.#oldest = floor;',
    why: 'the version that shows the floor can be read',
  },
  {
    ...VERSIONS,
    from: 'const floor = Math.min(version, this.#newest);',
    to: 'const floor = version;',
    why: 'before the first version there is nothing to forget',
  },
  {
    ...VERSIONS,
    from: 'entry.versions.push({ version, state: entry.collection.snapshot() });',
    to: 'entry.versions.push({ version, state: entry.collection });',
    why: 'a version does not change with what is written later',
  },
  {
    ...VERSIONS,
    from: 'this.#newest = Math.min(this.#newest, version);',
    to: '',
    why: 'after a rollback numbers begin again at the common point',
  },
  {
    ...VERSIONS,
    from: 'state.versions.length = lastAtOrBelow(state.versions, version) + 1;',
    to: '',
    test: 'packages/storage/test/engineProperty.test.ts',
    why: 'a rollback lets go of what was written after it',
  },
  {
    ...CATALOGS,
    from: 'this.#versions.length = lastAtOrBelow(this.#versions, version) + 1;',
    to: '',
    why: 'a rollback takes collections back',
  },
  {
    ...CATALOGS,
    from: 'if (this.#shownVersion > version) this.#shownVersion = Number.NEGATIVE_INFINITY;',
    to: '',
    test: 'packages/storage/test/versions/catalogVersions.test.ts',
    why: 'the catalog that was shown last may be one that a rollback takes back',
  },
  {
    ...CATALOGS,
    from: 'for (const { state } of this.#versions.slice(1, last + 1)) apply(state, this.#oldest);',
    to: '',
    test: 'packages/storage/test/versions/catalogVersions.test.ts',
    why: 'what changed in versions that are forgotten has changed all the same',
  },
  {
    ...CATALOGS,
    from: 'if (from < 0 || from > last) {',
    to: 'if (from < 0) {',
    test: 'packages/storage/test/versions/catalogVersions.test.ts',
    why: 'who reads an older catalog than the last reader does not go on from there',
  },
  {
    ...VERSIONS,
    from: 'if (each.state || kept[i + 1]!.version - newest > every) {',
    to: 'if (kept[i + 1]!.version - newest > every) {',
    why: 'versions in which more than documents changed are kept',
  },
  {
    ...VERSIONS,
    from: 'if (last - first < every) return;',
    to: 'return;',
    why: 'what short writes leave behind is thinned',
  },
  {
    ...VERSIONS,
    from: 'if (!next || !dropped.has(version)) return false;',
    to: 'if (!dropped.has(version)) return false;',
    test: 'packages/storage/test/engineProperty.test.ts',
    why: 'a state that is still the newest of its collection stays',
  },
  {
    ...HISTORY,
    from: 'if (secs >= 0 && compareTimestamps(oldest, this.#oldest) > 0) {',
    to: 'if (secs >= 0) {',
    title: 'a shorter window is shorter at once',
    why: 'a longer window does not say that it has what is gone',
  },
  {
    ...HISTORY,
    from: 'if (isGone || isCut || compareTimestamps(ts, this.#own) < 0) {',
    to: 'if (isGone || compareTimestamps(ts, this.#own) < 0) {',
    title: 'where the oplog no longer has all that it needs',
    why: 'data of a time are made of all entries since a version, or not at all',
  },
  {
    ...HISTORY,
    from: "if (entries.some(({ operations }) => operations.some(({ op }) => op === 'c'))) {",
    to: 'if (false as boolean) {',
    title: 'after a restart, a read between the checkpoint',
    why: 'a view is made of documents that change, and not of collections that do',
  },
  {
    ...HISTORY,
    from: 'if (isGone || isCut || compareTimestamps(ts, this.#own) < 0) {',
    to: 'if (isGone || isCut) {',
    why: 'nothing from before the window can be read',
  },
  {
    ...HISTORY,
    from: 'if (secs >= 0 && compareTimestamps(oldest, this.#oldest) > 0) {',
    to: 'if (false as boolean) {',
    title: 'it ends with minSnapshotHistoryWindowInSeconds',
    why: 'what has fallen out of the window can be read no more',
  },
  {
    ...HISTORY,
    from: 'const at = this.#made.findIndex((made) => made.entry === entry);',
    to: 'const at = this.#made.findIndex((made) => made.entry.opTime.ts.t === entry.opTime.ts.t);',
    why: 'a view that was made is of one entry',
  },
  {
    ...HISTORY,
    from: 'this.#made = this.#made.filter(({ entry }) => compareTimestamps(entry.opTime.ts, oldest) >= 0);',
    to: '',
    equal: 'a time before the window is refused before views are looked at: only memory differs',
    why: 'views that fell out of the window are let go',
  },
  {
    ...HISTORY,
    from: 'this.#made.push(...this.#made.splice(at, 1));\n    return this.#made.at(-1)?.view;',
    to: 'return this.#made[at]?.view;',
    equal: 'a view that is let go earlier is made again of the same entries: only time differs',
    why: 'the view that was used last is kept for longest',
  },
  {
    ...HISTORY,
    from: 'maxTimestamp(oplog.first.ts, positions.initialData.ts)',
    to: 'oplog.first.ts',
    why: 'what an initial sync copied has no history',
  },
];
