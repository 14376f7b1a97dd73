import { codeNameOf, decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { deserialize } from 'bson';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies without telling each type
export type Doc = Record<string, any>;

/**
 * A set of real members with a client that stands outside: what a test sends, and what comes back. Who asks at an instant
 * asks a member about itself, in `admin`; what takes time is about data, in `app`.
 */
export class AskedSet {
  readonly set: ReplSet;

  constructor(set: ReplSet) {
    this.set = set;
  }

  /** A set of `members` (a number, or specs) whose first primary accepts writes. */
  static async start(
    members: number | ReplSetOptions['members'],
    options: Partial<ReplSetOptions> = {},
  ): Promise<AskedSet> {
    const list =
      typeof members === 'number' ? Array.from({ length: members }, (_, i) => ({ name: `n${i + 1}` })) : members;
    const asked = await AskedSet.create({ seed: 5, ...options, members: list });
    await asked.until(() => asked.primaryIfAny() !== undefined);
    return asked;
  }

  /** A set at its very beginning. */
  static async create(options: ReplSetOptions): Promise<AskedSet> {
    return new AskedSet(await ReplSet.create(options));
  }

  primaryIfAny(): string | undefined {
    return this.set.memberNames.find(
      (name) => this.set.status(name).running && this.now(name, { hello: 1 }).isWritablePrimary === true,
    );
  }

  get primary(): string {
    const primary = this.primaryIfAny();
    if (primary === undefined) throw new Error('no primary');
    return primary;
  }

  /** The reply at this very instant. */
  now(member: string, command: Doc, db = 'admin'): Doc {
    return decodePromoted(this.set.ask(member, encodeDocument({ ...command, $db: db })));
  }

  /** The same with every number in its BSON class, so that int32, int64 and double differ. */
  typed(member: string, command: Doc, db = 'admin'): Doc {
    const bytes = this.set.ask(member, encodeDocument({ ...command, $db: db }));
    return deserialize(bytes, { promoteValues: false, promoteLongs: false });
  }

  /** A member's own state by number, as its status says. */
  state(member: string): number {
    const reply = this.now(member, { replSetGetStatus: 1 });
    return reply.myState ?? reply.state ?? -1;
  }

  /** Sends a command; `reply()` is undefined until it is answered. */
  send(member: string, command: Doc, db = 'app'): { reply(): Doc | undefined } {
    const pending = this.set.send(member, encodeDocument({ ...command, $db: db }));
    return { reply: () => pending.reply && decodePromoted(pending.reply) };
  }

  /** Sends a command and lets time pass until it is answered. */
  async run(member: string, command: Doc, db = 'app'): Promise<Doc> {
    const { reply } = this.send(member, command, db);
    await this.until(() => reply() !== undefined);
    return reply()!;
  }

  /** Runs a command that must succeed. */
  async ok(member: string, command: Doc, db = 'app'): Promise<Doc> {
    const reply = await this.run(member, command, db);
    if (reply.ok !== 1 || reply.writeErrors || reply.writeConcernError) {
      throw new Error(`${codeNameOf(reply.code ?? 0)}: ${JSON.stringify(reply)}`);
    }
    return reply;
  }

  async documents(member: string, collection: string, db = 'app'): Promise<Doc[]> {
    const command = { find: collection, sort: { _id: 1 }, $readPreference: { mode: 'nearest' }, batchSize: 10_000 };
    return (await this.ok(member, command, db)).cursor.firstBatch;
  }

  /** Lets time pass until `done`; fails after two minutes. */
  async until(done: () => boolean, limitMs = 120_000): Promise<void> {
    const held = await this.set.runUntil(done, this.set.nowMicros + limitMs * 1000);
    if (!held) throw new Error(`did not come to pass within ${limitMs} ms`);
  }

  /** Lets time pass until `member`, or anybody, is primary. @returns who */
  async untilPrimary(member?: string): Promise<string> {
    await this.until(() => (member === undefined ? this.primaryIfAny() !== undefined : this.primaryIfAny() === member));
    return this.primary;
  }

  async untilState(member: string, state: number): Promise<void> {
    await this.until(() => this.state(member) === state);
  }

  async pass(ms: number): Promise<void> {
    await this.set.advanceTo(this.set.nowMicros + ms * 1000);
  }

  /** Kills the primary and waits for the next one. */
  async failOver(): Promise<{ readonly old: string; readonly primary: string }> {
    const old = this.primary;
    this.set.kill(old);
    await this.until(() => this.primaryIfAny() !== undefined);
    return { old, primary: this.primary };
  }
}
