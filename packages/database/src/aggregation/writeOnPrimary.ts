import type { Operation } from '@replsim/operations';
import type { Reply, Stage } from '@replsim/pipeline';
import { BsonWriter, CommandError, decodePromoted } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';

/** Since 5.0. Source: the manual, "$out" and "$merge", "Stage on Secondaries". */
const WIRE_VERSION = 13;
/** What such a stage goes by beside its own document. */
const OPTIONS = ['writeConcern', 'bypassDocumentValidation', 'let', 'collation', 'comment'];

/**
 * A secondary has read the documents, and has the primary write them. Errors: NotWritablePrimary 10107 before 5.0 and where no
 * primary is known, those of the stage on the primary.
 * Upstream: replica_set_node_process_interface.cpp, ReplicaSetNodeProcessInterface.
 * Simplification: all documents go over in one message, and the write has no time of its own on this member.
 */
export function* writeOnPrimary(
  { args, member }: CommandContext,
  ns: string,
  { name, spec }: Stage,
  documents: readonly Uint8Array[],
): Operation<Reply> {
  if (member.traits.maxWireVersion < WIRE_VERSION) throw new CommandError('NotWritablePrimary', 'not primary');
  const writer = new BsonWriter();
  writer.int32('aggregate', 1);
  writer.beginArray('pipeline');
  writer.beginDocument('0');
  writer.beginArray('$documents');
  for (const [i, document] of documents.entries()) {
    writer.beginDocument(String(i));
    // They are values, whatever their fields are called.
    writer.rawDocument('$literal', document);
    writer.endDocument();
  }
  writer.endArray();
  writer.endDocument();
  writer.beginDocument('1');
  writer.rawValue(name, spec);
  writer.endDocument();
  writer.endArray();
  writer.beginDocument('cursor');
  writer.endDocument();
  for (const option of OPTIONS) {
    const value = args.rawValue(option);
    if (value) writer.rawValue(option, value);
  }
  writer.string('$db', args.db);
  const reply = decodePromoted(yield* member.runOnPrimary(writer.finish())) as Reply;
  if (reply.ok !== 1) throw new CommandError(reply.code as number, String(reply.errmsg));
  const { writeConcernError } = reply;
  return { cursor: { firstBatch: [], id: 0n, ns }, ...(writeConcernError !== undefined && { writeConcernError }) };
}
