import { encodeDocument } from '@replsim/protocol';
import { type PendingReply, ReplSet, type ReplSetOptions } from '@replsim/replset';
import { type Document, deserialize } from 'bson';
import { expect } from 'vitest';

/** A set to talk to: it is asked at this instant, and told things that take their time. */
export class TestSet {
  readonly set: ReplSet;

  private constructor(set: ReplSet) {
    this.set = set;
  }

  static async create(options: ReplSetOptions): Promise<TestSet> {
    return new TestSet(await ReplSet.create(options));
  }

  /** The reply with every number in its BSON class, so that int32, int64 and double differ. */
  ask(member: string, command: Document, db = 'admin'): Document {
    return deserialize(this.set.ask(member, encodeDocument({ ...command, $db: db })), {
      promoteValues: false,
      promoteLongs: false,
    });
  }

  /** The same with plain numbers. */
  plain(member: string, command: Document, db = 'admin'): Document {
    return deserialize(this.set.ask(member, encodeDocument({ ...command, $db: db })));
  }

  /** Sends a command; its answer comes as time passes. */
  send(member: string, command: Document, db = 'admin'): PendingReply {
    return this.set.send(member, encodeDocument({ ...command, $db: db }));
  }

  /** Sends a command and waits for its answer. */
  async run(member: string, command: Document, db = 'admin'): Promise<Document> {
    const pending = this.send(member, command, db);
    await this.until(() => pending.reply !== undefined, 100);
    return deserialize(pending.reply!);
  }

  async until(holds: () => boolean, withinSecs = 60): Promise<void> {
    expect(await this.set.runUntil(holds, this.set.nowMicros + withinSecs * 1_000_000)).toBe(true);
  }

  async advance(secs: number): Promise<void> {
    await this.set.advanceTo(this.set.nowMicros + secs * 1_000_000);
  }

  async untilPrimary(member?: string): Promise<string> {
    const primary = () =>
      this.set.memberNames.find(
        (name) => this.set.status(name).running && this.plain(name, { hello: 1 }).isWritablePrimary,
      );
    await this.until(() => (member === undefined ? primary() !== undefined : primary() === member));
    return primary()!;
  }

  /** A member's own state by number, as its status says. */
  state(member: string): number {
    const reply = this.plain(member, { replSetGetStatus: 1 });
    return reply.myState ?? reply.state ?? -1;
  }

  async untilState(member: string, state: number, withinSecs = 60): Promise<void> {
    await this.until(() => this.state(member) === state, withinSecs);
  }
}

/** The fields of a document in order, each with its BSON type: `term long`. */
export function shapeOf(document: Document): string[] {
  return Object.entries(document).map(([name, value]) => `${name} ${typeOf(value)}`);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (typeof value !== 'object') return typeof value === 'boolean' ? 'bool' : typeof value;
  const { _bsontype } = value as { _bsontype?: string };
  const names: Record<string, string> = { Int32: 'int', Long: 'long', Double: 'double', ObjectId: 'objectId' };
  return _bsontype === undefined ? 'object' : (names[_bsontype] ?? _bsontype.toLowerCase());
}
