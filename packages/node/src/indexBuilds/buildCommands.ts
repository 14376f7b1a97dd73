import {
  BsonWriter,
  type CommandError,
  decodeDocument,
  ElementCursor,
  encodeName,
  type OplogOperation,
  requiredField,
  writeJsValue,
} from '@replsim/protocol';

/** What the oplog says of a build. */
export type BuildCommandName = 'startIndexBuild' | 'commitIndexBuild' | 'abortIndexBuild';

export interface BuildCommand {
  readonly buildUuid: Uint8Array;
  /** Specs, BSON. */
  readonly specs: readonly Uint8Array[];
  /** Of an abort. */
  readonly cause?: { readonly code: number; readonly errmsg: string };
}

/**
 * The `o` of an entry: `{ NAME: collection, indexBuildUUID, indexes: [spec …], cause? }`.
 * Upstream: op_observer_impl.cpp, onStartIndexBuild, onCommitIndexBuild, onAbortIndexBuild.
 */
export function encodeBuildCommand(
  name: BuildCommandName,
  collection: string,
  buildUuid: Uint8Array,
  specs: readonly Uint8Array[],
  cause?: CommandError,
): Uint8Array {
  const writer = new BsonWriter();
  writer.string(name, collection);
  writer.binary('indexBuildUUID', 4, buildUuid);
  writer.beginArray('indexes');
  specs.forEach((spec, i) => {
    writer.rawDocument(String(i), spec);
  });
  writer.endArray();
  if (cause) {
    const { code, codeName, message: errmsg } = cause;
    writeJsValue(writer, 'cause', { ok: false, code, codeName, errmsg });
  }
  return writer.finish();
}

const INDEXES = encodeName('indexes');

export function decodeBuildCommand(o: Uint8Array): BuildCommand {
  const { indexBuildUUID, cause } = decodeDocument(o) as unknown as {
    indexBuildUUID: { buffer: Uint8Array };
    cause?: { code: unknown; errmsg: string };
  };
  const specs: Uint8Array[] = [];
  const cursor = new ElementCursor(o, requiredField(o, INDEXES).offset);
  while (cursor.next()) specs.push(o.slice(cursor.offset, cursor.offset + cursor.size));
  return {
    buildUuid: Uint8Array.from(indexBuildUUID.buffer),
    specs,
    ...(cause && { cause: { code: Number(cause.code), errmsg: cause.errmsg } }),
  };
}

/** The name of the command that an entry of type `c` carries. */
export function commandNameOf({ o }: OplogOperation): string {
  const cursor = new ElementCursor(o);
  return cursor.next() ? cursor.name : '';
}
