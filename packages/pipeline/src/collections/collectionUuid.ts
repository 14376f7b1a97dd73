import { CommandError } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Binary } from 'bson';
import type { Fields } from '../fields/fields.ts';
import { splitNs } from '../fields/namespaces.ts';
import { uuidOf } from '../fields/sessionId.ts';

/** What a statement writes to, and the UUID that the client takes it to have, if it says so. */
export interface WriteTarget {
  readonly ns: string;
  readonly uuid: Uint8Array | undefined;
}

/** Which collection the client takes a namespace for, where it says so. Throws TypeMismatch 14 for what is no UUID. */
export function collectionUuidOf(args: Fields): Uint8Array | undefined {
  const value = args.value('collectionUUID');
  return value && uuidOf(value, `${args.path}.collectionUUID`);
}

/** `checkCollectionMeant` for a command that is about one collection as a whole. */
export function checkCollectionUuid(args: Fields, data: ReadView, ns: string): void {
  checkCollectionMeant(collectionUuidOf(args), data, ns);
}

/**
 * Whether a namespace is the collection that the client takes it for, where it says so by `collectionUUID`.
 * Throws CollectionUUIDMismatch 361, with the name of the collection that is meant if it lies in the same database.
 * Upstream: collection_uuid_mismatch.cpp, checkCollectionUUIDMismatch.
 */
export function checkCollectionMeant(uuid: Uint8Array | undefined, data: ReadView, ns: string): void {
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
