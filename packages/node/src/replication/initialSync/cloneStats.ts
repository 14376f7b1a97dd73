/** What is known of the copy of one collection. Upstream: collection_cloner.h, CollectionCloner::Stats. */
export interface CollectionStats {
  readonly ns: string;
  documentsToCopy: number;
  documentsCopied: number;
  bytesToCopy: number;
  bytesCopied: number;
  indexes: number;
  fetchedBatches: number;
  readonly startWallMs: number;
  endWallMs: number | undefined;
}

/** What is known of the copy of one database. Upstream: database_cloner.h, DatabaseCloner::Stats. */
export interface DatabaseStats {
  readonly name: string;
  collections: number;
  clonedCollections: number;
  readonly startWallMs: number;
  endWallMs: number | undefined;
  readonly byCollection: CollectionStats[];
}

/** How far the copy of a source's data is. Upstream: all_database_cloner.h, AllDatabaseCloner::Stats. */
export class CloneStats {
  databasesToClone = 0;
  databasesCloned = 0;
  /** What databases take on the source's disk whose copy has not begun: nobody has said yet how large their documents are. */
  bytesToCome = 0;
  readonly databases: DatabaseStats[] = [];

  get documentsCopied(): number {
    return this.#sum(({ documentsCopied }) => documentsCopied);
  }

  /** Of what has begun the documents, of the rest an estimate. */
  get totalBytes(): number {
    return this.bytesToCome + this.#sum(({ bytesToCopy }) => bytesToCopy);
  }

  get bytesCopied(): number {
    return this.#sum(({ bytesCopied }) => bytesCopied);
  }

  beginDatabase(name: string, collections: number, wallMs: number): DatabaseStats {
    const stats = {
      name,
      collections,
      clonedCollections: 0,
      startWallMs: wallMs,
      endWallMs: undefined,
      byCollection: [],
    };
    this.databases.push(stats);
    return stats;
  }

  #sum(of: (stats: CollectionStats) => number): number {
    let sum = 0;
    for (const { byCollection } of this.databases) for (const stats of byCollection) sum += of(stats);
    return sum;
  }
}

/** A collection whose copy begins now. */
export function beginCollection(database: DatabaseStats, ns: string, wallMs: number): CollectionStats {
  const stats: CollectionStats = {
    ns,
    documentsToCopy: 0,
    documentsCopied: 0,
    bytesToCopy: 0,
    bytesCopied: 0,
    indexes: 0,
    fetchedBatches: 0,
    startWallMs: wallMs,
    endWallMs: undefined,
  };
  database.byCollection.push(stats);
  return stats;
}
