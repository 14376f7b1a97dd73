import { CURRENT_TOKEN_VERSION, highWaterMark, type TokenVersion } from '@replsim/changestreams';
import { contextOf, inPlan, type Operation } from '@replsim/operations';
import { completeCollation, type Reply, type Stage } from '@replsim/pipeline';
import { required, type Timestamp } from '@replsim/protocol';
import { compileCollator } from '@replsim/query';
import type { CommandContext } from '../definition.ts';
import type { CommittedOplog } from '../member.ts';
import { openCursor } from '../reading/batches.ts';
import { noOthers, worldWith } from '../reading/namespaceSource.ts';
import { variablesOf } from '../reading/query.ts';
import { ChangeStreamSource } from './changeStreamSource.ts';
import { parseStreamSpec, type StreamSpec } from './streamSpec.ts';
import { streamStages } from './streamStages.ts';

const QUERY_HISTORY_LOST = 6663107;

/**
 * Opens the cursor of a change stream, which never ends by itself: what there is comes with the reply, and each `getMore` waits for
 * more. Errors: those of `parseStreamSpec` and `streamStages`, ChangeStreamHistoryLost 286, ChangeStreamFatalError 280.
 * @param stages the `$changeStream` and what stands behind it
 */
export function* openChangeStream(
  context: CommandContext,
  ns: string,
  [first, ...behind]: readonly [Stage, ...Stage[]],
  batchSize: number | undefined,
): Operation<Reply> {
  const { args, member } = context;
  const { traits, counters } = member;
  const spec = parseStreamSpec(first, context);
  const tokenVersion: TokenVersion = args.bool('$_generateV2ResumeTokens', true) ? CURRENT_TOKEN_VERSION : 1;
  const oplog = required(member.committedOplog(), 'oplog of a member of a set');
  if (spec.showExpandedEvents) counters.changeStreams.showExpandedEvents += 1;
  const source = new ChangeStreamSource({
    spec,
    oplog,
    tokenVersion,
    stages: streamStages(behind, streamWorld(context)),
    detail: { ...spec, alwaysExpanded: traits.alwaysExpandedEvents, showsNsType: traits.eventNsType },
    data: { committed: () => context.data, newest: () => context.writes.newest() },
    start: startOf(spec, oplog, tokenVersion),
    counters: counters.changeStreams,
    onHistoryLost: () =>
      member.log('E', 'QUERY', QUERY_HISTORY_LOST, 'The entries with which a change stream has to begin are gone', {
        ns,
      }),
  });
  const options = { ns, source, originatingCommand: args.bytes, tailable: true, awaitData: true };
  return yield* inPlan(contextOf('aggregate', ns, traits), openCursor(member, options, { batchSize }));
}

/** What its stages may know. A stream compares strings plainly, whatever its collection does. */
function streamWorld({ args, member }: CommandContext) {
  const sent = args.document('collation');
  const collation = sent && sent.length > 5 ? completeCollation(sent) : undefined;
  return worldWith(member, variablesOf(args, member), collation && compileCollator(collation), noOthers);
}

/** A stream that does not say where begins behind what is applied here, committed or not. */
function startOf(
  { token, startAtOperationTime }: StreamSpec,
  oplog: CommittedOplog,
  version: TokenVersion,
): { readonly ts: Timestamp; readonly token: Uint8Array } {
  if (token) return { ts: token.clusterTime, token: token.document };
  const { t, i } = oplog.lastApplied.ts;
  const ts = startAtOperationTime ?? { t, i: i + 1 };
  return { ts, token: highWaterMark(ts, version).document };
}
