import { BsonType, CommandError } from '@replsim/protocol';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandDefinition, TimedLogLine } from '../command.ts';
import { stringOf, typeName } from '../values.ts';

/**
 * `{ getLog: 'global' | 'startupWarnings' | '*' }` → `{ totalLinesWritten, log }`, or `{ names }` for `*`.
 * Errors: TypeMismatch 14, OperationFailed 96 for another log. Upstream: get_log.cpp, GetLogCmd.
 */
const getLog: CommandDefinition = {
  name: 'getLog',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    const value = args.rawValue(args.name)!;
    if (value.type !== BsonType.string) {
      throw new CommandError(
        'TypeMismatch',
        `Argument to getLog must be of type String; found ${typeName(value.type)}`,
      );
    }
    const log = stringOf(value);
    if (log === '*') return { names: ['global', 'startupWarnings'] };
    if (log !== 'global' && log !== 'startupWarnings') {
      throw new CommandError('OperationFailed', `No log named '${log}'`);
    }
    const lines = member.logLines(log);
    return { totalLinesWritten: lines.length, log: lines.map(formatLogLine) };
  }),
};

export const logCommands: readonly CommandDefinition[] = [getLog];

/** A line as mongod writes it: JSON with `t s c id ctx msg attr`. Upstream: logv2/json_formatter.cpp. */
export function formatLogLine({ wallMs, line }: TimedLogLine): string {
  const t = { $date: new Date(wallMs).toISOString().replace('Z', '+00:00') };
  const { severity, component, id, ctx, msg, attr } = line;
  const head = { t, s: severity, c: component, id, ctx, msg };
  return JSON.stringify(Object.keys(attr).length > 0 ? { ...head, attr: attr } : head);
}
