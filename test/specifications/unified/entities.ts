import {
  type ClientSession,
  type Collection,
  Db,
  type Document,
  GridFSBucket,
  MongoClient,
  type MongoClientOptions,
  ReadPreference,
  type ReadPreferenceMode,
} from 'mongodb';
import { EventLog } from './events.ts';
import type { EntityEntry, EntitySettings } from './format.ts';
import type { Named } from './match.ts';
import { Failure, Skipped } from './verdicts.ts';

/** A thread of the format: operations that are run one after the other, beside those of the test. */
export class Thread {
  done: Promise<unknown> = Promise.resolve();
}

/** How often clients look after members that are well, and after those that failed: tests of fail points wait for that. */
const IMPATIENT = { heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 };

/** What the operations of one test work on, and what they keep. */
export class Entities implements Named {
  readonly #uri: string;
  readonly #values = new Map<string, unknown>();
  readonly #logs = new Map<string, EventLog>();
  /** A session forgets its id when it ends, and events tell of it still. */
  readonly #lsids = new Map<string, unknown>();

  constructor(uri: string) {
    this.#uri = uri;
  }

  /** @throws Failure for an `id` that is taken or unknown; Skipped for a kind of entity that is not to be had */
  async create(entries: readonly EntityEntry[]): Promise<void> {
    for (const entry of entries) {
      for (const [kind, settings] of Object.entries(entry)) await this.#create(kind, settings);
    }
  }

  value(id: string): unknown {
    if (!this.#values.has(id)) throw new Failure(`there is no entity ${id}`);
    return this.#values.get(id);
  }

  keep(id: string, value: unknown): void {
    if (this.#values.has(id)) throw new Failure(`there are two entities ${id}`);
    this.#values.set(id, value);
  }

  lsid(session: string): unknown {
    return this.#lsids.get(session);
  }

  client(id: string): MongoClient {
    return this.#of(MongoClient, id);
  }

  session(id: string): ClientSession {
    return this.value(id) as ClientSession;
  }

  thread(id: string): Thread {
    return this.#of(Thread, id);
  }

  log(client: string): EventLog {
    const log = this.#logs.get(client);
    if (!log) throw new Failure(`there is no client ${client}`);
    return log;
  }

  get threads(): Thread[] {
    return [...this.#values.values()].filter((value) => value instanceof Thread);
  }

  /** Ends what tests leave behind; a client that is closed takes its cursors, streams and sessions along. */
  async close(): Promise<void> {
    const clients = [...this.#values.values()].filter((value) => value instanceof MongoClient);
    await Promise.allSettled(clients.map((client) => client.close()));
  }

  #of<Kind>(kind: abstract new (...args: never[]) => Kind, id: string): Kind {
    const value = this.value(id);
    if (value instanceof kind) return value;
    throw new Failure(`${id} is no ${kind.name}`);
  }

  async #create(kind: string, settings: EntitySettings): Promise<void> {
    const { id, client = '', database = '' } = settings;
    switch (kind) {
      case 'client':
        return this.#createClient(settings);
      case 'database':
        return this.keep(
          id,
          this.client(client).db(settings.databaseName, withReadPreference(settings.databaseOptions)),
        );
      case 'collection':
        return this.keep(id, this.#collectionOf(settings));
      case 'session': {
        const session = this.#startSession(settings);
        this.#lsids.set(id, session.id);
        return this.keep(id, session);
      }
      case 'bucket':
        return this.keep(id, new GridFSBucket(this.#of(Db, database), settings.bucketOptions));
      case 'thread':
        return this.keep(id, new Thread());
      default:
        throw new Skipped(`entity ${kind} is not to be had`);
    }
  }

  #collectionOf({ database = '', collectionName = '', collectionOptions }: EntitySettings): Collection {
    return this.#of(Db, database).collection(collectionName, withReadPreference(collectionOptions));
  }

  #startSession({ client = '', sessionOptions = {} }: EntitySettings): ClientSession {
    const { defaultTransactionOptions, snapshotTime, ...options } = sessionOptions;
    if (defaultTransactionOptions) options.defaultTransactionOptions = withReadPreference(defaultTransactionOptions);
    const session = this.client(client).startSession(options);
    // The driver has no option for it yet, and heeds the field.
    if (snapshotTime !== undefined) Object.assign(session, { snapshotTime: this.value(snapshotTime) });
    return session;
  }

  async #createClient(settings: EntitySettings): Promise<void> {
    if (settings.autoEncryptOpts) throw new Skipped('client-side encryption is not to be had');
    const { directConnection } = settings.uriOptions ?? {};
    const client = new MongoClient(directConnection ? firstHostOf(this.#uri) : this.#uri, clientOptions(settings));
    this.keep(settings.id, client);
    this.#logs.set(settings.id, new EventLog(client, settings));
    await client.connect();
  }
}

function firstHostOf(uri: string): string {
  return uri.replace(/,[^/]*/, '');
}

/** As the driver takes them; the format names options as connection strings do. */
function clientOptions({ uriOptions = {}, serverApi, observeEvents = [] }: EntitySettings): MongoClientOptions {
  const { useMultipleMongoses, readConcernLevel, appname, w, journal, wTimeoutMS, ...options } = uriOptions as Document;
  const watchesMembers = observeEvents.some((name) => name.startsWith('server'));
  const writeConcern = {
    ...(w !== undefined && { w }),
    ...(journal !== undefined && { journal }),
    ...(wTimeoutMS !== undefined && { wtimeoutMS: wTimeoutMS }),
  };
  return {
    // Who counts what is heard of members counts what these would add.
    ...(!watchesMembers && IMPATIENT),
    monitorCommands: true,
    // Else a ping is sent first, which fail points and counts of events would take for the test's.
    ...{ __skipPingOnConnect: true },
    ...options,
    ...(appname !== undefined && { appName: appname }),
    ...(readConcernLevel !== undefined && { readConcern: { level: readConcernLevel } }),
    ...(Object.keys(writeConcern).length > 0 && { writeConcern }),
    ...(serverApi && { serverApi }),
  };
}

/** Options with the read preference as the driver's object. */
export function withReadPreference(options: Document = {}): Document {
  const { readPreference, ...others } = options;
  if (!readPreference) return options;
  const { mode, tagSets, maxStalenessSeconds, hedge } = readPreference;
  const preference = new ReadPreference(mode as ReadPreferenceMode, tagSets, { maxStalenessSeconds, hedge });
  return { ...others, readPreference: preference };
}
