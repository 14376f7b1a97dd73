import { bytesOf, Fields, fieldSet, INT32_MAX, numberOf, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError, decodePromoted, readString } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { FailPointData, FailPointMode } from '../failPoints.ts';
import type { Operation } from '../operations/operation.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

const configureFields = fieldSet('configureFailPoint', 'mode', 'data');
const waitFields = fieldSet('waitForFailPoint', 'timesEntered');

/**
 * `{ configureFailPoint: name, mode, data? }` → `{ count }`, how often it was entered before.
 * Errors: FailPointSetFailed 266 for an unknown name, BadValue 2 and FailedToParse 9 for a mode that makes no sense.
 * Upstream: fail_point_commands.cpp; fail_point.cpp, FailPoint::parseBSON.
 */
const configureFailPoint: CommandDefinition = {
  name: 'configureFailPoint',
  help: 'makes the server fail or wait at a certain place',
  auth: 'user',
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  testOnly: true,
  run: atOnce(({ args, member }) => {
    args.allow(configureFields);
    const name = args.requiredString('configureFailPoint');
    const data = args.document('data');
    const mode = modeOf(args);
    if (name === 'stopReplProducerOnDocument' && mode !== 'off') checkDocument(data);
    const count = member.failPoints.configure(name, mode, data ? (decodePromoted(data) as FailPointData) : {});
    return { count: BigInt(count) };
  }),
};

/** `{ waitForFailPoint: name, timesEntered, maxTimeMS }`: answers once it was entered so often. Upstream: as above. */
const waitForFailPoint: CommandDefinition = {
  name: 'waitForFailPoint',
  help: 'waits until a fail point has been entered',
  auth: 'user',
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  testOnly: true,
  *run({ args, member }: CommandContext): Operation<Reply> {
    args.allow(waitFields);
    const name = args.requiredString('waitForFailPoint');
    const times = args.number('timesEntered') ?? args.missing('timesEntered');
    if (args.maxTimeMS === undefined) args.missing('maxTimeMS');
    const { failPoints } = member;
    // Asked once here, so that a name that does not exist is refused at once.
    if (failPoints.timesEntered(name) >= times) return {};
    const takeBack = failPoints.awaitEntries();
    try {
      yield { type: 'wait', what: 'failPoint', ready: () => failPoints.timesEntered(name) >= times };
    } finally {
      takeBack();
    }
    return {};
  },
};

export const failPointCommands: readonly CommandDefinition[] = [configureFailPoint, waitForFailPoint];

/** A filter for entries of the oplog; mongod looks at it when a batch has come, and its fetcher fails then. */
function checkDocument(data: Uint8Array | undefined): void {
  const document = data && new Fields(data, 'data').rawValue('document');
  if (document?.type !== BsonType.object) {
    throw new CommandError('BadValue', "'data' must have a filter for entries of the oplog as 'document'");
  }
  compileFilter(bytesOf(document));
}

function modeOf(args: Fields): FailPointMode {
  const mode = args.rawValue('mode');
  if (!mode) throw new CommandError('FailedToParse', 'FailPoint mode must be given');
  if (mode.type === BsonType.string) {
    const text = readString(mode);
    if (text === 'off' || text === 'alwaysOn') return text;
    throw new CommandError('BadValue', `unknown mode: ${text}`);
  }
  if (mode.type !== BsonType.object) {
    throw new CommandError('TypeMismatch', "'mode' must be a string or a document");
  }
  const fields = new Fields(bytesOf(mode), 'mode');
  const count = (name: string): number | undefined => {
    const value = fields.number(name);
    if (value !== undefined && (value < 0 || value > INT32_MAX))
      throw new CommandError('BadValue', `'${name}' option to 'mode' must be between 0 and 2147483647`);
    return value;
  };
  const times = count('times');
  if (times !== undefined) return { times };
  const skip = count('skip');
  if (skip !== undefined) return { skip };
  const probability = fields.numeric('activationProbability');
  if (!probability) {
    throw new CommandError(
      'BadValue',
      "'mode' must be one of 'off', 'alwaysOn', 'times', 'skip' and 'activationProbability'",
    );
  }
  const activationProbability = numberOf(probability);
  if (!(activationProbability >= 0 && activationProbability <= 1)) {
    throw new CommandError('BadValue', 'activationProbability must be between 0.0 and 1.0');
  }
  return { activationProbability };
}
