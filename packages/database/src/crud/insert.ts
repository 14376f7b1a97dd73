import { on } from '@replsim/access';
import type { Operation } from '@replsim/operations';
import { checkWritableName, collectionUuidOf, fieldSet, type Reply } from '@replsim/pipeline';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { insertDocuments } from './insertDocuments.ts';
import type { InsertOutcomes } from './insertStatements.ts';
import { bypassing, checkStatementCount, retriedReply, statementIds, WriteErrors } from './statements.ts';

const fields = fieldSet(
  'insert',
  'documents',
  'ordered',
  'bypassDocumentValidation',
  'bypassEmptyTsReplacement',
  'collectionUUID',
  'encryptionInformation',
);

/**
 * `{ insert, documents, ordered? }` → `{ n, writeErrors?, retriedStmtIds? }`. The collection is made where it is missing.
 * Errors: InvalidLength 16 for none or too many documents; DuplicateKey 11000, BadValue 2 for one beyond 16 MB, InvalidIdField
 * 53 in `writeErrors`. Upstream: write_commands.cpp, CmdInsert.
 */
export const insert: CommandDefinition = {
  name: 'insert',
  help: 'inserts documents',
  auth: ({ args }) => on(args.ns, 'insert', ...bypassing(args)),
  api: 'v1',
  ...ON_PRIMARY,
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, retryable } = context;
  args.allow(fields);
  const { ns, collection, db } = args;
  const sent = args.requiredDocuments('documents');
  checkStatementCount(sent.length);
  checkWritableName(db, collection);
  const target = { ns, uuid: collectionUuidOf(args) };
  const errors = new WriteErrors(args.strictBool('ordered') ?? true, context.transaction !== undefined);
  const stmtId = statementIds(args, sent.length);
  let n = 0;
  const outcomes: InsertOutcomes = {
    inserted: () => {
      n += 1;
    },
    failed: (index, error) => errors.add(index, error),
  };
  const statements = sent.map((document, index) => ({ index, document, stmtId: stmtId(index) }));
  yield* insertDocuments(context, target, statements, outcomes);
  return { n, ...errors.reply(), ...retriedReply(retryable) };
}
