import { typeName } from '@replsim/pipeline';
import { BsonType, CommandError, formatLogLine, readString } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/**
 * `{ getLog: 'global' | 'startupWarnings' | '*' }` → `{ totalLinesWritten, log }`, or `{ names }` for `*`.
 * Errors: TypeMismatch 14, OperationFailed 96 for another log. Upstream: get_log.cpp, GetLogCmd.
 */
const getLog: CommandDefinition = {
  name: 'getLog',
  help: 'shows the newest lines of the log',
  auth: { action: 'getLog', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    const value = args.presentValue(args.name);
    if (value.type !== BsonType.string) {
      throw new CommandError(
        'TypeMismatch',
        `Argument to getLog must be of type String; found ${typeName(value.type)}`,
      );
    }
    const log = readString(value);
    if (log === '*') return { names: ['global', 'startupWarnings'] };
    if (log !== 'global' && log !== 'startupWarnings') {
      throw new CommandError('OperationFailed', `No log named '${log}'`);
    }
    const { totalLinesWritten, lines } = member.ramLog(log);
    return { totalLinesWritten, log: lines.map(({ line, wallMs }) => formatLogLine(line, wallMs)) };
  }),
};

export const logCommands: readonly CommandDefinition[] = [getLog];
