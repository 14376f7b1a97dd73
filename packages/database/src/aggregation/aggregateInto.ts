import { checkStandaloneWriteConcern, type Operation, parseWriteConcern } from '@replsim/operations';
import type { Reply, Stage } from '@replsim/pipeline';
import { isReplicated } from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { worldOf } from '../reading/namespaceSource.ts';
import { withFailureAwaited } from '../replies/failedWrite.ts';
import { parseMerge } from './mergeSpec.ts';
import { writeMerge } from './mergeStage.ts';
import { outTarget, writeOut } from './outStage.ts';
import { writeOnPrimary } from './writeOnPrimary.ts';

/**
 * An aggregation that ends with `$out` or `$merge`: its documents go into a collection of this member, or of the primary's where
 * this member takes no writes; the reply has none. It waits for its write concern, and a step-down kills it.
 * Errors: NotWritablePrimary 10107, those of the stages.
 */
export function* aggregateInto(
  context: CommandContext,
  ns: string,
  stage: Stage,
  results: () => Operation<readonly Uint8Array[]>,
): Operation<Reply> {
  const { args, member, opId } = context;
  const writeConcern = parseWriteConcern(args);
  if (member.memberState === 'STANDALONE') checkStandaloneWriteConcern(writeConcern);
  const write = writerOf(context, ns, stage);
  if (!member.acceptsWritesFor(write.db)) return yield* writeOnPrimary(context, ns, stage, yield* results());
  for (const operation of member.operations()) if (operation.opId === opId) operation.killable = 'whenNotPrimary';
  yield* member.fsyncLock.wait();
  // The place it reads decides whether it waits, wherever it writes, as in a mongod.
  const waits = writeConcern?.w !== 0 && isReplicated(ns);
  const writing = member.fsyncLock.stop(write.run(yield* results()));
  yield* waits ? withFailureAwaited(writing, writeConcern, member) : writing;
  const reply = { cursor: { firstBatch: [], id: 0n, ns } };
  if (!waits) return reply;
  const failure = yield* member.awaitWriteConcern(writeConcern);
  return failure ? { ...reply, writeConcernError: failure } : reply;
}

interface Write {
  readonly db: string;
  readonly run: (documents: readonly Uint8Array[]) => Operation<void>;
}

function writerOf(context: CommandContext, ns: string, stage: Stage): Write {
  const { args } = context;
  const bypassesValidation = args.bool('bypassDocumentValidation');
  if (stage.name === '$out') {
    const target = outTarget(stage, args.db);
    return { db: target.db, run: (documents) => writeOut(context, target, documents, bypassesValidation) };
  }
  const merge = parseMerge(stage, args.db);
  const merging = { ...merge, context, world: worldOf(context, ns), bypassesValidation };
  return { db: merge.target.db, run: (documents) => writeMerge(merging, documents) };
}
