import { MongoClient } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { type Authority, makeAuthority } from './authority.ts';
import { type Driver, TEXT_LENGTH, type Written } from './clients.ts';

export const MECHANISMS = ['SCRAM-SHA-1', 'SCRAM-SHA-256', 'MONGODB-X509'] as const;
export type Mechanism = (typeof MECHANISMS)[number];
const COMPRESSORS = ['snappy', 'zstd', 'zlib'] as const;
export type Compressor = (typeof COMPRESSORS)[number];

/** One client of a driver, who logs in by one mechanism and compresses in one way, or not. */
export interface Login {
  readonly driver: string;
  readonly mechanism: Mechanism;
  readonly compressor: Compressor | 'none';
}

/** Each mechanism with each compressor, and without. */
export function loginsOf(driver: string, compressors: readonly Compressor[]): Login[] {
  return MECHANISMS.flatMap((mechanism) =>
    (['none', ...compressors] as const).map((compressor) => ({ driver, mechanism, compressor })),
  );
}

/** Also the user and the collection that it writes to. */
export const nameOf = ({ driver, mechanism, compressor }: Login) => `${driver}-${mechanism}-${compressor}`;

/** What a member has counted. */
interface Counts {
  /** Bytes of the clients' messages before and of replies after compression, by compressor. */
  readonly compressed: Readonly<Record<string, number>>;
  /** Successful logins, by mechanism. */
  readonly logins: Readonly<Record<string, number>>;
}

/** A set with access control that requires TLS, with certificates of its operator's own authority, and a user for each login. */
export class GuardedSet {
  readonly set: ReplicaSet;
  readonly authority: Authority;
  readonly #keyFiles = new Map<string, string>();
  readonly #users = new Map<string, string>();
  /** A client that asks for no compression and logs in before anything is counted. */
  readonly #root: MongoClient;

  static async start(logins: readonly Login[]): Promise<GuardedSet> {
    const authority = await makeAuthority('127.0.0.1');
    const { CAFile, certificateKeyFile } = authority;
    const set = await ReplicaSet.start({
      auth: { enable: true, customRootName: 'root', customRootPwd: 'secret' },
      tls: { mode: 'requireTLS', certificateKeyFile, CAFile, allowConnectionsWithoutCertificates: true },
      parameters: { scramIterationCount: 5000, scramSHA256IterationCount: 5000 },
    });
    const guarded = new GuardedSet(set, authority);
    for (const login of logins) await guarded.#createUser(login);
    return guarded;
  }

  private constructor(set: ReplicaSet, authority: Authority) {
    this.set = set;
    this.authority = authority;
    this.#root = new MongoClient(set.uri, { auth: { username: 'root', password: 'secret' } });
  }

  async #createUser(login: Login): Promise<void> {
    const name = nameOf(login);
    const roles = [{ role: 'readWrite', db: 'app' }];
    if (login.mechanism === 'MONGODB-X509') {
      const { keyFile, subject } = await this.authority.issue(name);
      this.#keyFiles.set(name, keyFile);
      this.#users.set(name, `${subject}@$external`);
      await this.#command({ createUser: subject, roles, writeConcern: { w: 'majority' }, $db: '$external' });
      return;
    }
    this.#users.set(name, `${name}@admin`);
    // By either mechanism: that a client takes the one that it is to take shows in the counts.
    const mechanisms = MECHANISMS.slice(0, 2);
    await this.#command({ createUser: name, pwd: 'secret', roles, mechanisms, writeConcern: { w: 'majority' } });
  }

  #command(command: object): Promise<Record<string, unknown>> {
    return this.set.command(this.set.primary!, command);
  }

  /** Its connection string. @param password a wrong one, if any */
  uriOf(login: Login, password = 'secret'): string {
    const name = nameOf(login);
    const { mechanism, compressor } = login;
    const more = compressor === 'none' ? '' : `&compressors=${compressor}`;
    const plain = `${this.set.uri}&authMechanism=${mechanism}${more}`;
    const keyFile = this.#keyFiles.get(name);
    return keyFile === undefined
      ? `${plain.replace('mongodb://', `mongodb://${name}:${password}@`)}&authSource=admin`
      : `${plain}&authSource=%24external&tlsCertificateKeyFile=${encodeURIComponent(keyFile)}`;
  }

  /** What a login's first write does, and what the primary counts of it: nobody else writes meanwhile. */
  async writeAlone(driver: Driver, login: Login): Promise<{ readonly written: Written; readonly counted: Counts }> {
    const before = await this.#counts();
    const written = await driver.write(nameOf(login), this.uriOf(login));
    const after = await this.#counts();
    return {
      written,
      counted: {
        compressed: differences(before.compressed, after.compressed),
        logins: differences(before.logins, after.logins),
      },
    };
  }

  /** What is to come of it. */
  expected(login: Login): Written {
    return { user: this.#users.get(nameOf(login))!, length: TEXT_LENGTH };
  }

  /** By which mechanisms a user has logged in on the primary, as its log tells. */
  async mechanismsOf(login: Login): Promise<ReadonlySet<string>> {
    return new Set((await this.#logOf(login, LOGGED_IN)).map(({ mechanism }) => mechanism));
  }

  /** With which codes logins of a user have failed on the primary. */
  async failuresOf(login: Login): Promise<readonly number[]> {
    return (await this.#logOf(login, FAILED)).map(({ result }) => result);
  }

  async #logOf(login: Login, wanted: number): Promise<{ readonly mechanism: string; readonly result: number }[]> {
    const who = this.#users.get(nameOf(login));
    const { log } = (await this.#command({ getLog: 'global' })) as { log: string[] };
    const entries = log.map((line) => JSON.parse(line)).filter(({ id }) => id === wanted);
    return entries.map(({ attr }) => attr).filter(({ user, db }) => `${user}@${db}` === who);
  }

  /** What the primary's log says of handshakes that came to nothing. */
  async refusals(): Promise<readonly string[]> {
    const { log } = (await this.#command({ getLog: 'global' })) as { log: string[] };
    return log.filter((line) => line.includes('SSL handshake') || line.includes('only allow SSL'));
  }

  async #counts(): Promise<Counts> {
    const { network, security } = await this.#root.db('admin').command({ serverStatus: 1 });
    const compressed = Object.entries<Record<'compressor' | 'decompressor', Bytes>>(network.compression).map(
      ([name, { compressor, decompressor }]) => [
        name,
        Math.min(Number(compressor.bytesIn), Number(decompressor.bytesOut)),
      ],
    );
    const logins = Object.entries<MechanismCounts>(security.authentication.mechanisms).map(
      ([name, { authenticate }]) => [name, Number(authenticate.successful)],
    );
    return { compressed: Object.fromEntries(compressed), logins: Object.fromEntries(logins) };
  }

  async stop(): Promise<void> {
    await this.#root.close();
    await this.set.stop();
    this.authority.remove();
  }
}

/** Successfully authenticated; failed to authenticate. */
const [LOGGED_IN, FAILED] = [5286306, 5286307];

type Bytes = Readonly<Record<'bytesIn' | 'bytesOut', number>>;
type MechanismCounts = { readonly authenticate: { readonly successful: number } };

/** Only what has changed. */
function differences(before: Counts['logins'], after: Counts['logins']): Record<string, number> {
  const changed = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(changed.filter(([, count]) => count !== 0));
}
