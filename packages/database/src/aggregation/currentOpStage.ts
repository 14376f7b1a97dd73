import { sameUser } from '@replsim/access';
import type { ClientCursor } from '@replsim/operations';
import { documentOf, Fields, type Reply, type Stage, typeName } from '@replsim/pipeline';
import { BsonType, CommandError, encodeDocument } from '@replsim/protocol';
import { cursorDocument, operationDocuments } from '../admin/operations.ts';
import { idleTransactions, sessionDocument } from '../admin/transactionReports.ts';
import type { CommandContext } from '../definition.ts';
import type { MemberServices } from '../member.ts';

const options: ReadonlySet<string> = new Set(['allUsers', 'idleConnections', 'idleSessions', 'idleCursors', 'localOps', 'truncateOps', 'backtrace', 'targetAllNodes']); // biome-ignore format: one line

/**
 * `{ $currentOp: { allUsers?, idleConnections?, idleCursors?, localOps?, truncateOps? } }`, on admin only: operations under
 * way, the member's own too, with `idleConnections` connections without one, open transactions, and cursors that nobody uses now. Under
 * access control they are one's own without `allUsers`.
 * Errors: InvalidNamespace 73, FailedToParse 9, TypeMismatch 14 where privileges depend on the option. Upstream: document_source_current_op.cpp.
 */
export function currentOp(stage: Stage, { args, member, connection }: CommandContext): Uint8Array[] {
  if (args.db !== 'admin' || args.rawValue(args.name)?.type === BsonType.string) {
    throw new CommandError(
      'InvalidNamespace',
      "$currentOp must be run against the 'admin' database with {aggregate: 1}",
    );
  }
  const fields = new Fields(documentOf(stage), '$currentOp');
  for (const name of fields.names) {
    if (!options.has(name)) throw new CommandError('FailedToParse', `$currentOp has no option '${name}'`);
    const { type } = fields.presentValue(name);
    if (type === BsonType.bool) continue;
    const code = name === 'allUsers' || name === 'localOps' ? 'TypeMismatch' : 'FailedToParse';
    throw new CommandError(code, `${name} of $currentOp must be a boolean, not of type ${typeName(type)}`);
  }
  const whose = fields.bool('allUsers') ? undefined : connection;
  const all = fields.bool('idleConnections');
  const shown = operationDocuments(member, { all, truncated: fields.bool('truncateOps'), whose });
  const isMeant = ({ pinned, user }: ClientCursor) =>
    !pinned && (!whose || !member.access.isEnabled || sameUser(user, whose.user));
  const idle = fields.bool('idleCursors') ? member.cursors.open.filter(isMeant) : [];
  const asksForSessions = !fields.has('idleSessions') || fields.bool('idleSessions');
  const sessions = asksForSessions ? idleTransactions(member, whose) : [];
  return [...shown, ...sessions, ...idle.map((cursor) => describe(cursor, member))].map(encodeDocument);
}

function describe(cursor: ClientCursor, member: MemberServices): Reply {
  const { session } = cursor;
  const planSummary = cursor.opening?.planSummary(member.traits);
  return {
    type: 'idleCursor',
    host: member.host,
    ns: cursor.ns,
    ...(session !== undefined && { lsid: sessionDocument(session) }),
    ...(planSummary !== undefined && { planSummary }),
    cursor: cursorDocument(cursor, member),
  };
}
