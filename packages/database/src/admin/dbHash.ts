import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { cappedLimits, fieldSet, type Reply } from '@replsim/pipeline';
import type { CollectionView, IndexView } from '@replsim/storage';
import { Binary } from 'bson';
import { collectionsOf } from '../catalog/listCollections.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { atOnce } from '../replies/atOnce.ts';

const dbHashFields = fieldSet('dbHash', 'collections', 'skipTempCollections');

/**
 * `{ dbHash: 1, collections?: [names] }` → `{ host, collections: { name: md5 }, capped, uuids, md5, timeMillis }`: of each
 * collection over its documents in the order of `_id`, of the database over those hashes in the order of names.
 * Upstream: dbhash.cpp.
 */
export const dbHash: CommandDefinition = {
  name: 'dbHash',
  refusesClusterTime: true,
  help: 'gives a hash for each collection, equal on members that hold equal data',
  auth: { action: 'dbHash', resource: 'database' },
  api: 'none',
  aliases: ['dbhash'],
  kind: 'other',
  secondaries: 'always',
  maintenanceOk: false,
  run: atOnce(runDbHash),
};

function runDbHash({ args, data, member }: CommandContext<MemberFacts>): Reply {
  args.allow(dbHashFields);
  const { db } = args;
  const only = args.has('collections') ? new Set(args.strings('collections')) : undefined;
  const nameOf = ({ ns }: CollectionView) => ns.slice(db.length + 1);
  const hashed = collectionsOf(data, db).filter((collection) => {
    const name = nameOf(collection);
    return isHashed(db, name) && (!only || only.has(name));
  });
  const hashes = hashed.map((collection) => [nameOf(collection), md5Of(collection)] as const);
  return {
    host: member.host,
    collections: Object.fromEntries(hashes),
    capped: hashed.filter((collection) => cappedLimits(collection)).map(nameOf),
    uuids: Object.fromEntries(hashed.map((each) => [nameOf(each), new Binary(each.uuid, Binary.SUBTYPE_UUID)])),
    // Upstream leaves the names out of it.
    md5: bytesToHex(md5(utf8ToBytes(hashes.map(([, hash]) => hash).join('')))),
    timeMillis: 0,
  };
}

/** What members of a set have in common: not the collections that the system keeps for one member. */
function isHashed(db: string, name: string): boolean {
  return (
    db !== 'local' && (!name.startsWith('system.') || /^system\.((js|users|roles|version|views)$|buckets\.)/.test(name))
  );
}

/** How many contents are remembered. */
const REMEMBERED = 64;
/** MD5 by content: who compares members, or asks until they are equal, asks of the same documents again and again. */
const remembered = new Map<string, string>();

/** Documents that are in the order of `_id` have one hash, whichever member holds them. */
function md5Of(collection: CollectionView): string {
  const ids = collection.index('_id_');
  if (!ids && !collection.clusteredIndex) return md5OfDocuments(inNaturalOrder(collection));
  const { dataHash, count, dataSize } = collection;
  const content = [...dataHash, count, dataSize].join();
  const known = remembered.get(content);
  if (known !== undefined) return known;
  const hash = md5OfDocuments(ids ? byId(collection, ids) : inNaturalOrder(collection));
  const [oldest] = remembered.keys();
  if (oldest !== undefined && remembered.size >= REMEMBERED) remembered.delete(oldest);
  remembered.set(content, hash);
  return hash;
}

function* inNaturalOrder(collection: CollectionView): Iterable<Uint8Array> {
  const records = collection.records();
  while (records.next()) yield records.document.bytes;
}

function* byId(collection: CollectionView, ids: IndexView): Iterable<Uint8Array> {
  const entries = ids.range();
  while (entries.next()) {
    const document = collection.get(entries.recordId);
    if (document) yield document.bytes;
  }
}

function md5OfDocuments(documents: Iterable<Uint8Array>): string {
  const hash = md5.create();
  for (const document of documents) hash.update(document);
  return bytesToHex(hash.digest());
}
