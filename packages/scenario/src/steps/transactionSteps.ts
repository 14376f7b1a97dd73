import { flag, strict } from '@replsim/replset';
import type * as z from 'zod';
import { Template } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import { readReadPreference } from '../reading/readReadPreference.ts';
import type { Action, ClientAction, StartTransactionAction, Step } from '../scenario.ts';
import { label, limitMs, readConcern, readPreference, withDefault, writeConcern } from '../schema/parts.ts';
import { stepFailureOf } from '../stage/stepFailure.ts';
import { admin, client, clientShape, inOptions, sent, user } from './clientCommand.ts';
import { type Outcome, type StepInput, step } from './row.ts';
import type { Stage } from './stage.ts';

const transactionOptions = strict(
  'the options of a transaction',
  {
    readConcern: readConcern.optional().describe('Read concern of its first statement: { level: snapshot }'),
    writeConcern: writeConcern.optional().describe('Write concern of its commit or abort: { w: majority }'),
    readPreference: readPreference.optional().describe('Must be primary: a transaction may not read elsewhere'),
    maxCommitTimeMS: limitMs.optional().describe('The server gives up the commit after this time. Unit: ms'),
  },
  { maxTimeMS: 'did you mean "maxCommitTimeMS"? A driver sends it with the commit, as maxTimeMS' },
)
  .optional()
  .describe('Transaction options, as in drivers');
const COMMIT_LIMIT = 'it is an option of the transaction, where that begins: options: { maxCommitTimeMS: … }';
const OF_TRANSACTIONS = {
  ...inOptions(['readConcern', 'writeConcern', 'readPreference', 'maxCommitTimeMS']),
  maxTimeMS: COMMIT_LIMIT,
};
const ended = label.describe('The session in which it was begun');

/** The steps that begin a transaction and end it. */
export const transactionSteps = {
  startTransaction: step({
    shape: strict(
      'startTransaction',
      {
        session: label.describe('The session. Its steps from here on are statements of the transaction'),
        options: transactionOptions,
      },
      OF_TRANSACTIONS,
    ).describe('Begins a transaction; nothing is sent before its first statement'),
    read: readStart,
    perform: (action, { client }, step) => {
      client.startTransaction(step, action);
      return undefined;
    },
  }),
  commitTransaction: step({
    shape: strict(
      'commitTransaction',
      { ...clientShape, session: ended, user },
      { maxCommitTimeMS: COMMIT_LIMIT, maxTimeMS: COMMIT_LIMIT },
    ).describe('Commits a transaction; a second time, it sends the commit again'),
    read: (reader, path, input) => readEnd(reader, path, input, true),
    perform: sent,
  }),
  abortTransaction: step({
    shape: strict('abortTransaction', { ...clientShape, session: ended, user }).describe('Aborts a transaction'),
    read: (reader, path, input) => readEnd(reader, path, input, false),
    perform: sent,
  }),
};

/** Steps in a transaction, between its beginning and its end. */
interface TransactionAction extends Action {
  readonly start: StartTransactionAction;
  readonly steps: readonly Step[];
  readonly end: ClientAction;
}

/** @param innerSteps the shape of the steps in it */
export function transactionStep(innerSteps: z.ZodType<readonly StepInput[]>) {
  return step({
    shape: strict(
      'transaction',
      {
        session: label.describe('The session of all its steps that do not name one'),
        options: transactionOptions,
        steps: innerSteps.describe('Its statements. Steps that are not commands are allowed among them'),
        commit: withDefault(flag, true, 'false aborts it'),
      },
      OF_TRANSACTIONS,
    ).describe('Begins a transaction, runs its steps, and ends it'),
    inner: true,
    read: (reader, path, input, inner): TransactionAction => {
      const { session, commit = true } = input;
      const steps = input.steps.flatMap((step, index) => {
        const at = [...path, 'steps', index];
        if (step.transaction !== undefined)
          reader.source.mistakeAtKey(at, 'transaction', 'a transaction holds no other', 'let it stand beside this one');
        return inner(at, step, { session });
      });
      const start = readStart(reader, path, input);
      return { kind: 'transaction', start, steps, end: readEnd(reader, path, { session }, commit) };
    },
    text: ({ session, commit = true }) => `transaction: {session: ${session}${commit ? '' : ', commit: false'}}`,
    perform: performTransaction,
  });
}

type StartInput = { readonly session: string; readonly options?: z.infer<typeof transactionOptions> };

function readStart(reader: Reader, path: Path, { session, options }: StartInput): StartTransactionAction {
  const at = [...path, 'options'];
  const readPreference = readReadPreference(reader, [...at, 'readPreference'], options?.readPreference);
  if (readPreference && readPreference.mode !== 'primary')
    reader.source.mistakeAtPath(
      [...at, 'readPreference'],
      'a transaction reads from the primary, and drivers reject anything else',
      'leave it out; a snapshot read outside of transactions may go to a secondary',
    );
  return {
    kind: 'startTransaction',
    session,
    options: new Template(reader.values(at, ['readConcern', 'writeConcern', 'maxCommitTimeMS'])),
  };
}

function readEnd(reader: Reader, path: Path, input: { readonly session: string }, commits: boolean): ClientAction {
  const name = commits ? 'commitTransaction' : 'abortTransaction';
  return client(reader, path, input, [admin(new Map([[name, 1]]))], { retryable: true });
}

/** Begins the transaction, does its steps, and ends it. @returns what the end was answered @throws StepFailure that says which failed */
async function performTransaction(
  { start, steps, end }: TransactionAction,
  { client, perform }: Stage,
  step: Step,
): Promise<Outcome> {
  client.startTransaction(step, start);
  for (const inner of steps) {
    try {
      await perform(inner);
    } catch (error) {
      const failure = stepFailureOf(error);
      if (failure && !failure.inner) {
        const { index, line, text, action } = inner;
        failure.inner = { index, line, text, isCheck: 'check' in action, where: 'in the transaction' };
      }
      throw error;
    }
  }
  return client.run(end);
}
