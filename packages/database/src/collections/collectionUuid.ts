import { CommandError } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Binary } from 'bson';
import type { Fields } from '../fields/fields.ts';
import { splitNs } from '../fields/namespaces.ts';
import { uuidOf } from '../fields/sessionId.ts';

/**
 * Whether a namespace is the collection that the client takes it for, where it says so by `collectionUUID`.
 * Throws CollectionUUIDMismatch 361, with the name of the collection that is meant if it lies in the same database.
 * Upstream: collection_uuid_mismatch.cpp, checkCollectionUUIDMismatch.
 */
export function checkCollectionUuid(args: Fields, data: ReadView, ns: string): void {
  const value = args.value('collectionUUID');
  const uuid = value && uuidOf(value, `${args.path}.collectionUUID`);
  const meant = uuid && data.collectionByUuid(uuid);
  if (!uuid || meant?.ns === ns) return;
  const [db, expectedCollection] = splitNs(ns);
  const [meantDb, meantCollection] = meant ? splitNs(meant.ns) : [];
  throw new CommandError('CollectionUUIDMismatch', 'Collection UUID does not match that specified', {
    db,
    collectionUUID: new Binary(uuid, Binary.SUBTYPE_UUID),
    expectedCollection,
    actualCollection: meantDb === db ? meantCollection : null,
  });
}
