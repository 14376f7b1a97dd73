import type { CollectionView, ReadView } from '@replsim/storage';
import type { MemberServices, OplogServices } from '../member.ts';

/** What an index key is taken to weigh; nobody stores one. Unit: bytes. */
const BYTES_A_KEY = 16;
/** A file grows by whole blocks, and has one from the beginning. Upstream: WiredTiger's allocation_size. Unit: bytes. */
export const BLOCK_BYTES = 4096;
/** The disk that every member is said to have. Unit: bytes. */
export const FS_TOTAL_BYTES = 64 * 1024 ** 3;

/** What a file with so many bytes in it takes. Simplification: nothing is compressed, and room that is freed is given back at once. */
function fileBytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES;
}

/** A collection's documents on disk. Unit: bytes. */
export function storageBytes({ dataSize }: Pick<CollectionView, 'dataSize'>): number {
  return fileBytes(dataSize);
}

/** One index on disk. Unit: bytes. */
export function indexBytes({ keyCount }: { readonly keyCount: number }): number {
  return fileBytes(keyCount * BYTES_A_KEY);
}

/** All indexes of a collection on disk. Unit: bytes. */
export function allIndexBytes({ indexes }: Pick<CollectionView, 'indexes'>): number {
  return indexes.reduce((sum, index) => sum + indexBytes(index), 0);
}

/** The oplog on disk; 0 where there is none. Unit: bytes. */
export function oplogBytes(member: OplogServices): number {
  const oplog = member.oplogDocuments();
  return oplog ? fileBytes(oplog.sizeBytes) : 0;
}

/** Everything that a member has on its disk. Unit: bytes. */
export function usedBytes(data: ReadView, member: MemberServices): number {
  const collections = data.collections();
  return collections.reduce((sum, each) => sum + storageBytes(each) + allIndexBytes(each), oplogBytes(member));
}
