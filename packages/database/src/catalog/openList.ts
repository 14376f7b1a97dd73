import type { Operation } from '@replsim/operations';
import { type CommandArguments, Fields, type Reply } from '@replsim/pipeline';
import type { MemberServices } from '../member.ts';
import { openCursor } from '../reading/batches.ts';
import { ArraySource } from '../reading/sources.ts';

const cursorFields = new Set(['batchSize']);

/** Throws 40415 for another field than `batchSize` in `cursor`. Upstream: SimpleCursorOptions. */
export function checkListCursor(args: CommandArguments): void {
  const cursor = args.document('cursor');
  if (cursor) new Fields(cursor, `${args.name}.cursor`).allow(cursorFields);
}

/** Answers a list command with a cursor over these documents; `cursor.batchSize` is heeded. */
export function openList(
  args: CommandArguments,
  member: MemberServices,
  collection: string,
  documents: readonly Uint8Array[],
): Operation<Reply> {
  const cursor = args.document('cursor');
  const batchSize = cursor && new Fields(cursor, `${args.name}.cursor`).count('batchSize');
  const options = {
    ns: `${args.db}.${collection}`,
    source: new ArraySource(documents),
    originatingCommand: args.bytes,
  };
  // All fit into one batch unless the client wants it otherwise.
  return openCursor(member, options, { batchSize: batchSize ?? Infinity });
}
