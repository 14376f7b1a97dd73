import type { Needed } from '@replsim/access';
import type { Operation } from '@replsim/operations';
import {
  CommandArguments,
  fieldSet,
  isWriteStage,
  naturalHint,
  type OperationVariables,
  parseAggregate,
  type Reply,
  resolveView,
  type Stage,
} from '@replsim/pipeline';
import { BsonWriter, CommandError, encodeName, findField } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { Asking } from '../needs.ts';
import { hintOf, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { explainCount } from './explainCount.ts';
import { explainDistinct } from './explainDistinct.ts';
import type { Explained } from './explained.ts';
import { explainFind } from './explainFind.ts';
import { explainPipeline } from './explainPipeline.ts';
import { explainRead, type Verbosity } from './explainRead.ts';
import { explainReply } from './explainReply.ts';
import { explainDelete, explainFindAndModify, explainUpdate } from './explainWrites.ts';
import { stagesOnView } from './stagesOnView.ts';

const fields = fieldSet('explain', 'verbosity');

/**
 * `{ explain: COMMAND, verbosity: 'queryPlanner' | 'executionStats' | 'allPlansExecution' }` → how `find`, `count`,
 * `distinct`, `aggregate`, `update`, `delete` or `findAndModify` would be carried out, and with one of the latter two how it
 * went; nothing is changed. Of a 3.2 the new fields are left out, the stages are those of today.
 * Errors: FailedToParse 9 for another verbosity, CommandNotFound 59, IllegalOperation 20 for a command that has no plan,
 * those of the command. Upstream: explain_cmd.cpp, explain.cpp.
 */
export const explain: CommandDefinition = {
  name: 'explain',
  help: 'shows how a command would be carried out',
  auth: explainNeeds,
  api: 'v1',
  secondaries: 'optIn',
  maintenanceOk: false,
  kind: 'read',
  readConcern: 'withoutSnapshot',
  run,
};

/** That of the command which is explained. Upstream: explain_cmd.cpp, CmdExplain::Invocation::doCheckAuthorization. */
function explainNeeds({ args, needsOf }: Asking): readonly Needed[] {
  return needsOf(new CommandArguments(withDb(args.requiredDocument('explain'), args.db)));
}

/** Those that write are explained where they could be carried out. */
const writes: ReadonlySet<string> = new Set(['update', 'delete', 'findAndModify', 'findandmodify']);

const explainers = new Map<string, (context: CommandContext, variables: OperationVariables) => Explained>([
  ['find', explainFind],
  ['count', explainCount],
  ['distinct', explainDistinct],
  ['update', explainUpdate],
  ['delete', explainDelete],
  ['findAndModify', explainFindAndModify],
  ['findandmodify', explainFindAndModify],
]);

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  args.allow(fields);
  const verbosity = verbosityOf(args);
  const command = withDb(args.requiredDocument('explain'), args.db);
  const inner: CommandContext = { ...context, args: new CommandArguments(command) };
  const { name, db } = inner.args;
  member.debug.comment = inner.args.rawValue('comment');
  if (db !== args.db) throw new CommandError('InvalidNamespace', `what is to be explained names another $db: ${db}`);
  if (writes.has(name) && !member.acceptsWritesFor(db)) throw new CommandError('NotWritablePrimary', 'not primary');
  return explainReply(yield* sectionsOf(inner, verbosity), command, member);
}

function* sectionsOf(context: CommandContext, verbosity: Verbosity): Operation<Reply> {
  const { args, isCommand } = context;
  if (args.name === 'aggregate') {
    const { ns, stages } = parseAggregate(args, context.member.traits);
    if (verbosity !== 'queryPlanner') checkWritesNothing(stages);
    return yield* explainPipeline(context, ns, stages, verbosity, hintOf(args));
  }
  const explainer = explainers.get(args.name);
  if (!isCommand(args.name)) {
    throw new CommandError('CommandNotFound', `Explain failed due to unknown command: ${args.name}`);
  }
  if (!explainer) throw new CommandError('IllegalOperation', `Cannot explain cmd: ${args.name}`);
  const variables = variablesOf(args, context.member);
  const explained = yield* readInTurns(args, variables.meter, () => explainer(context, variables));
  if (!writes.has(args.name) && resolveView(context.data, explained.ns)) {
    const { sort, hint } = explained.spec;
    return yield* explainPipeline(context, explained.ns, stagesOnView(explained), verbosity, naturalHint(sort) ?? hint);
  }
  return (yield* explainRead(context, explained, verbosity)).sections;
}

/** What is explained with its execution is carried out, which no write may be. Errors: Location51029, 51184. */
function checkWritesNothing(stages: readonly Stage[]): void {
  const last = stages.at(-1);
  if (!last || !isWriteStage(last)) return;
  const code = last.name === '$out' ? 51029 : 51184;
  throw new CommandError(code, `explain of ${last.name} is supported with verbosity 'queryPlanner' alone`);
}

function verbosityOf(args: CommandArguments): Verbosity {
  const verbosity = args.string('verbosity') ?? 'allPlansExecution';
  if (verbosity === 'queryPlanner' || verbosity === 'executionStats' || verbosity === 'allPlansExecution') {
    return verbosity;
  }
  throw new CommandError(
    'FailedToParse',
    "verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}",
  );
}

const DB = encodeName('$db');

/** The explained command need not say its database. */
function withDb(command: Uint8Array, db: string): Uint8Array {
  if (findField(command, DB)) return command;
  const writer = new BsonWriter(command.length + 32);
  writer.rawElements(command, 4, command.length - 1);
  writer.string('$db', db);
  return writer.finish();
}
