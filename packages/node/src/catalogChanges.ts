import { BsonWriter, decodeDocument, ElementCursor, type OplogOperation } from '@replsim/protocol';
import { parseIndexSpec } from '@replsim/storage';
import type { Core } from './core.ts';
import type { MemberParts } from './mongod.ts';

/**
 * Carries out the command of an oplog entry on this member's catalog; what is there or gone already is fine.
 * Upstream: oplog.cpp, the table of apply functions for commands.
 */
export function applyCommand(core: Core, operation: OplogOperation, parts: MemberParts): void {
  const { engine } = core;
  const db = operation.ns.slice(0, operation.ns.indexOf('.'));
  const first = new ElementCursor(operation.o);
  if (!first.next()) return;
  const command = first.name;
  const body = decodeDocument(operation.o) as Record<string, never>;
  const ns = `${db}.${body[command]}`;
  switch (command) {
    case 'create':
      if (!engine.collection(ns))
        engine.createCollection(ns, { uuid: operation.ui!, options: without(operation.o, ['create', 'idIndex']) });
      return;
    case 'drop':
      if (engine.collection(ns)) dropTraced(core, ns, parts);
      return;
    case 'dropDatabase':
      for (const collection of [...engine.collections()]) {
        if (collection.ns.startsWith(`${db}.`)) dropTraced(core, collection.ns, parts);
      }
      return;
    case 'createIndexes': {
      const spec = without(operation.o, ['createIndexes']);
      const { name } = body as unknown as { name: string };
      if (!engine.collection(ns) || engine.collection(ns)!.index(name)) return;
      engine.createIndex(ns, parseIndexSpec(spec), { allowDuplicates: true });
      parts.ttl.register(ns, name);
      return;
    }
    case 'dropIndexes': {
      const { index } = body as unknown as { index: string };
      if (engine.collection(ns)?.index(index)) engine.dropIndex(ns, index);
      return;
    }
    case 'collMod': {
      const { index } = body as unknown as { index: { name: string; expireAfterSeconds?: unknown; hidden?: boolean } };
      if (!engine.collection(ns)?.index(index.name)) return;
      engine.setIndexOption(ns, index.name, {
        ...(index.expireAfterSeconds !== undefined && { expireAfterSeconds: Number(index.expireAfterSeconds) }),
        ...(index.hidden !== undefined && { hidden: index.hidden }),
      });
      parts.ttl.register(ns, index.name);
      return;
    }
    case 'renameCollection': {
      const { to, renameCollection: from } = body as unknown as { to: string; renameCollection: string };
      if (engine.collection(to)) engine.dropCollection(to);
      if (engine.collection(from)) engine.renameCollection(from, to);
      return;
    }
  }
}

function dropTraced(core: Core, ns: string, parts: MemberParts): void {
  const count = core.engine.collection(ns)!.count;
  core.engine.dropCollection(ns);
  if (count > 0 && core.tracing) {
    const memberState = parts.memberState();
    core.trace({ type: 'documentsRemoved', ns, count, by: 'drop', memberState, acceptsWrites: parts.acceptsWrites() });
  }
}

/** A document less some of its top-level fields, the rest byte for byte. */
function without(document: Uint8Array, names: readonly string[]): Uint8Array {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(document);
  while (cursor.next()) if (!names.includes(cursor.name)) writer.rawValue(cursor.name, cursor);
  return writer.finish();
}
