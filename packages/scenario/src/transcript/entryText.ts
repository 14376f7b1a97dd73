import { databaseOf, decodePromoted, ElementCursor, type OplogEntry } from '@replsim/protocol';

/** What an entry does, without its documents: `i app.orders`, `create app.orders`, `applyOps of 10 × d app.sessions`. */
export function entryText(entry: OplogEntry): string | undefined {
  const { operation, applyOps } = entry;
  if (applyOps) {
    const first = applyOps[0];
    return first ? `applyOps of ${applyOps.length} × ${first.op} ${first.ns}` : 'applyOps of nothing';
  }
  if (operation.op === 'n') {
    const { msg } = decodePromoted(operation.o) as { msg?: unknown };
    return msg === 'periodic noop' ? undefined : `"${msg}"`;
  }
  if (operation.op !== 'c') return `${operation.op} ${operation.ns}`;
  const cursor = new ElementCursor(operation.o);
  if (!cursor.next()) return `c ${operation.ns}`;
  const command = cursor.name;
  const target = decodePromoted(operation.o)[command];
  const db = databaseOf(operation.ns);
  return typeof target === 'string' ? `${command} ${db}.${target}` : `${command} ${db}`;
}

/** Whether an entry makes an index a TTL index. */
export function makesTtlIndex(entry: OplogEntry): boolean {
  if (entry.operation.op !== 'c' || entry.applyOps) return false;
  const o = decodePromoted(entry.operation.o) as {
    expireAfterSeconds?: unknown;
    index?: { expireAfterSeconds?: unknown };
  };
  return o.expireAfterSeconds !== undefined || o.index?.expireAfterSeconds !== undefined;
}

/** A member's name without the port that all of them have. */
export function nameOf(host: string): string {
  return host.replace(/:27017$/, '');
}
