export { clusteredIndexSpec } from './collection/clustering.ts';
export type { InsertOptions } from './collection/collection.ts';
export type { CreateCollection } from './collection/createdCollection.ts';
export { countDrawnKeys } from './collection/drawnKeys.ts';
export { idIndexSpec } from './collection/idIndex.ts';
export { checkIndex, duplicateRecords, type IndexCheck } from './collection/indexCheck.ts';
export { type IndexBounds, type IndexCursor, placeOf } from './collection/indexCursor.ts';
export { StoredDocument } from './collection/storedDocument.ts';
export type { BuildIdentity } from './collection/unfinishedIndexes.ts';
export { type ValueKeys, valueKeys } from './collection/valueKeys.ts';
export type {
  CollectionView,
  IndexView,
  ReadView,
  RecordCursor,
  RecordId,
  RecordPlace,
  UnfinishedIndexesView,
} from './collection/views.ts';
export { writeConflict } from './collection/writeConflict.ts';
export { CorruptDiskError, type DataFolder, DiskError, type DiskErrorReason, diskErrorOf } from './disk/damage.ts';
export type { Database } from './disk/database.ts';
export { Disk, type DiskFile, type LoadedData, openDisk } from './disk/disk.ts';
export { ENTRY_KIND, type Journalled, type JournalRecord, type JournalSegment } from './disk/journal.ts';
export { type Manifest, readManifest } from './disk/levelManifest.ts';
export { openMemoryDatabase } from './disk/memoryDatabase.ts';
export { type BuildOptions, type CreateIndexOptions, StorageEngine } from './engine.ts';
export { compareKeys } from './keys/collatedKeys.ts';
export { describeDocument, describeValue } from './keys/describe.ts';
export {
  type GeoPlugin,
  type IndexOptionChange,
  type IndexPart,
  type IndexSpec,
  parseIndexSpec,
  sameIdentity,
  samePlainOptions,
  withOptions,
} from './keys/indexSpec.ts';
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
} from './keys/keys.ts';
export { ITSELF, type TextOf } from './keys/valueKey.ts';
export { StorageTransaction } from './storageTransaction.ts';
export { CommittedView, type VersionView } from './versions/versionView.ts';
