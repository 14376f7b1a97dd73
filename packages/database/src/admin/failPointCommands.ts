import type { Operation } from '@replsim/operations';
import { failPointSetting, fieldSet, type Reply } from '@replsim/pipeline';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ProcessServices } from '../member.ts';
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
  // Upstream asks for nothing: there nobody has test commands where there are users.
  auth: { action: 'setParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  testOnly: true,
  run: atOnce(({ args, member }) => {
    args.allow(configureFields);
    const name = args.requiredString('configureFailPoint');
    const { mode, data } = failPointSetting(name, args);
    return { count: BigInt(member.failPoints.configure(name, mode, data)) };
  }),
};

/** `{ waitForFailPoint: name, timesEntered, maxTimeMS }`: answers once it was entered so often. Upstream: as above. */
const waitForFailPoint: CommandDefinition = {
  name: 'waitForFailPoint',
  help: 'waits until a fail point has been entered',
  auth: { action: 'setParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  testOnly: true,
  *run({ args, member }: CommandContext<ProcessServices>): Operation<Reply> {
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
