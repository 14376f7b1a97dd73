export { clusteredIndexSpec } from './clustering.ts';
export { compareKeys } from './collatedKeys.ts';
export type { InsertOptions } from './collection.ts';
export type { CreateCollection } from './createdCollection.ts';
export { CorruptDiskError, type DataFolder, DiskError, type DiskErrorReason, diskErrorOf } from './damage.ts';
export type { Database } from './database.ts';
export { describeDocument, describeValue } from './describe.ts';
export { Disk, type DiskFile, type LoadedData, openDisk } from './disk.ts';
export { countDrawnKeys } from './drawnKeys.ts';
export { type BuildOptions, type CreateIndexOptions, StorageEngine } from './engine.ts';
export { idIndexSpec } from './idIndex.ts';
export { checkIndex, duplicateRecords, type IndexCheck } from './indexCheck.ts';
export { type IndexBounds, type IndexCursor, placeOf } from './indexCursor.ts';
export {
  type GeoPlugin,
  type IndexOptionChange,
  type IndexPart,
  type IndexSpec,
  parseIndexSpec,
  sameIdentity,
  samePlainOptions,
  withOptions,
} from './indexSpec.ts';
export { ENTRY_KIND, type Journalled, type JournalRecord, type JournalSegment } from './journal.ts';
export {
  AFTER_PREFIX,
  dateKey,
  EMPTY_ARRAY_KEY,
  encodeCompoundKey,
  encodeKey,
  invertKey,
  NULL_KEY,
  objectIdKey,
  typePrefix,
} from './keys.ts';
export { openMemoryDatabase } from './memoryDatabase.ts';
export { StorageTransaction } from './storageTransaction.ts';
export { StoredDocument } from './storedDocument.ts';
export type { BuildIdentity } from './unfinishedIndexes.ts';
export { ITSELF, type TextOf } from './valueKey.ts';
export { type ValueKeys, valueKeys } from './valueKeys.ts';
export type { VersionView } from './versionView.ts';
export type {
  CollectionView,
  IndexView,
  ReadView,
  RecordCursor,
  RecordId,
  RecordPlace,
  UnfinishedIndexesView,
} from './views.ts';
export { writeConflict } from './writeConflict.ts';
