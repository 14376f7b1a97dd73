import { encodeDocument } from '@replsim/protocol';
import { parseIndexSpec } from '../keys/indexSpec.ts';
import { clusteredIndexSpec } from './clustering.ts';
import { Collection } from './collection.ts';
import { idIndexSpec } from './idIndex.ts';
import type { RecordId } from './views.ts';

/** What a collection is created with. */
export interface CreateCollection {
  /** 16 bytes. */
  readonly uuid: Uint8Array;
  /** The options of `create` as a BSON document, `clusteredIndex` among them; default empty. */
  readonly options?: Uint8Array;
  /** The spec of the index on `_id`, if it is not the one that the options ask for. */
  readonly idIndex?: Uint8Array | undefined;
  /** `local` collections such as the oplog may do without `_id_`, and their documents without `_id`. */
  readonly withoutIdIndex?: boolean;
  /** The id of the first insert, default 1; for a collection that is loaded again. */
  readonly nextRecordId?: RecordId;
}

const EMPTY = encodeDocument({});

/** An empty collection with the indexes that it has from the beginning; it is in no catalog yet. */
export function createdCollection(ns: string, create: CreateCollection): Collection {
  const { uuid, options = EMPTY, nextRecordId = 1 } = create;
  const collection = new Collection(ns, uuid, options);
  collection.nextRecordId = nextRecordId;
  const clustered = clusteredIndexSpec(options);
  if (clustered) collection.createIndex(clustered);
  else if (!create.withoutIdIndex)
    collection.createIndex(create.idIndex ? parseIndexSpec(create.idIndex) : idIndexSpec(options));
  return collection;
}
