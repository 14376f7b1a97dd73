/** Updates and deletes as they would be: nothing is changed. */

import { type CommandArguments, Fields, type OperationVariables, type Reply } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import { checkDeleteShape, parseDeleteStatement } from '../crud/delete.ts';
import { parseFindAndModify } from '../crud/findAndModify.ts';
import { checkUpdateShape, parseUpdateStatement, type UpdateStatement } from '../crud/updateStatement.ts';
import type { CommandContext } from '../definition.ts';
import type { Explained } from './explained.ts';
import type { ReadRun } from './readSpec.ts';
import { NOT_RUN, type StageNode, withoutLimit } from './stageNode.ts';

/** Errors: InvalidLength 16 for more than one statement. Upstream: write_commands.cpp, explain. */
export function explainUpdate(context: CommandContext, variables: OperationVariables): Explained {
  const { args, member } = context;
  const statement = single(args, 'updates', 'update.updates');
  checkUpdateShape(statement, member.traits);
  return updateOf(args.ns, parseUpdateStatement(statement, context, args.ns, variables), member.traits.expressPlans);
}

/** Errors as those of `explainUpdate`. */
export function explainDelete({ args, data, member }: CommandContext, variables: OperationVariables): Explained {
  const sent = single(args, 'deletes', 'delete.deletes');
  checkDeleteShape(sent);
  const { filter, one, hint } = parseDeleteStatement(sent, data, args.ns, variables);
  const stage = one || !member.traits.ttlBatched ? 'DELETE' : 'BATCHED_DELETE';
  const { expressPlans } = member.traits;
  return {
    ...deleteOf(args.ns, stage, expressPlans && one),
    spec: { filter, hint, skip: 0, limit: one ? 1 : Infinity },
  };
}

/** Upstream: find_and_modify.cpp, explain. */
export function explainFindAndModify(context: CommandContext, variables: OperationVariables): Explained {
  const { args, member } = context;
  const { expressPlans } = member.traits;
  const { statement, filter, sort, hint } = parseFindAndModify(context, variables);
  if (statement) return updateOf(args.ns, statement, expressPlans);
  return { ...deleteOf(args.ns, 'DELETE', expressPlans), spec: { filter, sort, hint, skip: 0, limit: 1 } };
}

function single(args: CommandArguments, name: 'updates' | 'deletes', path: string): Fields {
  const statements = args.requiredDocuments(name).map((bytes) => new Fields(bytes, path));
  const [statement] = statements;
  if (statement && statements.length === 1) return statement;
  const count = statements.length;
  throw new CommandError('InvalidLength', `one write can be explained at a time, and '${name}' has ${count}`);
}

function updateOf(ns: string, statement: UpdateStatement, express: boolean): Explained {
  const { filter, multi, sort, hint, upsert, update } = statement;
  const figures = (run: ReadRun | undefined): Reply => {
    const documents = run?.documents ?? [];
    return {
      nMatched: documents.length,
      nWouldModify: documents.filter((document) => update.apply(document).changed).length,
      nWouldUpsert: Number(upsert && documents.length === 0),
    };
  };
  return {
    ns,
    spec: { filter, sort, hint, skip: 0, limit: multi ? Infinity : 1 },
    top: (input, _plan, run) => writeStage('UPDATE', input, run, run ? figures(run) : {}, express && !multi),
  };
}

function deleteOf(ns: string, stage: string, express: boolean): Pick<Explained, 'ns' | 'top'> {
  return {
    ns,
    top: (input, _plan, run) =>
      writeStage(stage, input, run, run ? { nWouldDelete: run.documents.length } : {}, express),
  };
}

/** A write of one document found by its `_id` is one stage with the lookup. */
function writeStage(
  stage: string,
  input: StageNode,
  run: ReadRun | undefined,
  figures: Reply,
  express: boolean,
): StageNode {
  const found = withoutLimit(input);
  if (express && found.stage === 'EXPRESS_IXSCAN') {
    const ran = { ...found.ran, advanced: 0 };
    return { ...found, stage: `EXPRESS_${stage}`, ran, figures: { ...found.figures, ...figures } };
  }
  const ran = run ? { works: found.ran.works + 1, advanced: 0, yields: found.ran.yields, isEOF: true } : NOT_RUN;
  return { stage, details: {}, input: found, ran, figures };
}
