import { BsonWriter, ElementCursor } from '@replsim/protocol';
import type { ApplyTarget } from './applyHost.ts';

/** A collection gets another name; a temporary one stays one only if that is said. Upstream: durable_catalog.cpp, renameCollection. */
export function renamed({ engine }: Pick<ApplyTarget, 'engine'>, from: string, to: string, stayTemp: boolean): void {
  engine.renameCollection(from, to);
  const options = engine.collection(to)?.options;
  if (options && !stayTemp) engine.setOptions(to, without(options, ['temp']));
}

/** A document less some of its top-level fields, the rest byte for byte. */
export function without(document: Uint8Array, names: readonly string[]): Uint8Array {
  const writer = new BsonWriter();
  const cursor = new ElementCursor(document);
  while (cursor.next()) if (!names.includes(cursor.name)) writer.rawValue(cursor.name, cursor);
  return writer.finish();
}
