import { BsonWriter, decodePromoted, encodeDocument, encodeName, findField, RawBson } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';

/** A set that has a primary, which is the first member. */
export async function setWithPrimary(size: number, options: Partial<ReplSetOptions> = {}): Promise<ReplSet> {
  const members = Array.from({ length: size }, (_, i) => ({
    name: `n${i + 1}`,
    // Beyond seven voters a config is refused.
    config: { priority: i === 0 ? 1 : 0, ...(i >= 7 && { votes: 0 as const }) },
  }));
  const set = await ReplSet.create({ members, ...options });
  const elected = await set.runUntil(() => isPrimary(set, 'n1'), 60e6);
  if (!elected) throw new Error('nobody was elected within a minute');
  return set;
}

const HELLO = encodeDocument({ hello: 1, $db: 'admin' });
const IS_WRITABLE_PRIMARY = encodeName('isWritablePrimary');

/** What members said last, so that asking after every change is not what is measured. */
const said = new WeakMap<ReplSet, Map<string, { changes: number; isPrimary: boolean }>>();

export function isPrimary(set: ReplSet, member: string): boolean {
  let ofSet = said.get(set);
  if (!ofSet) {
    ofSet = new Map();
    said.set(set, ofSet);
  }
  const { changes } = set.status(member);
  const known = ofSet.get(member);
  if (known?.changes === changes) return known.isPrimary;
  const value = findField(set.ask(member, HELLO), IS_WRITABLE_PRIMARY);
  const answer = { changes, isPrimary: value?.bytes[value.offset] === 1 };
  ofSet.set(member, answer);
  return answer.isPrimary;
}

/** Runs a command to its end; throws on a failure. */
export async function run(set: ReplSet, member: string, command: object): Promise<Record<string, unknown>> {
  const pending = set.send(member, encodeDocument(command));
  await set.runUntil(() => pending.reply !== undefined, set.nowMicros + 3600e6);
  const reply = decodePromoted(pending.reply!);
  if (reply.ok !== 1 || reply.writeErrors)
    throw new Error(`${JSON.stringify(command).slice(0, 80)}: ${JSON.stringify(reply)}`);
  return reply;
}

/** Runs commands side by side until all have been answered. */
export async function runAll(set: ReplSet, member: string, commands: readonly object[]): Promise<void> {
  const pending = commands.map((command) => set.send(member, encodeDocument(command)));
  await set.runUntil(() => pending.every(({ reply }) => reply !== undefined), set.nowMicros + 3600e6);
}

/** Documents `{ _id, at }` whose date is `ms`. */
export function datedDocuments(from: number, count: number, ms: number): RawBson[] {
  return Array.from({ length: count }, (_, i) => {
    const writer = new BsonWriter(64);
    writer.int32('_id', from + i);
    writer.date('at', ms);
    return new RawBson(writer.finish());
  });
}

export function countOf(set: ReplSet, member: string, collection: string): number {
  const command = { count: collection, $db: 'app', $readPreference: { mode: 'secondaryPreferred' } };
  return Number(decodePromoted(set.ask(member, encodeDocument(command))).n);
}

const SERVER_STATUS = encodeDocument({ serverStatus: 1, $db: 'admin' });

/** How many passes a member's TTL monitor has made. */
export function passesOf(set: ReplSet, member: string): number {
  const { metrics } = decodePromoted(set.ask(member, SERVER_STATUS)) as { metrics: { ttl: { passes: number } } };
  return Number(metrics.ttl.passes);
}
