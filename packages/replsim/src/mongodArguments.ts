import { InvalidOptions } from './options.ts';

/** What of a mongod's command line has a meaning here. */
export interface ProcessArguments {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly oplogSizeMB?: number;
}

/**
 * Reads arguments as a mongod takes them: `--setParameter NAME=VALUE`, `--oplogSize MB`.
 * @param where what messages name
 * @param asked who was asked for it
 * @throws InvalidOptions for any other
 */
export function processArguments(args: readonly string[], where: string, asked?: string): ProcessArguments {
  const parameters: Record<string, unknown> = {};
  let oplogSizeMB: number | undefined;
  const words = args.flatMap((arg) =>
    /^--\w+=/.test(arg) ? [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)] : [arg],
  );
  for (let i = 0; i < words.length; i += 2) {
    const value = words[i + 1] ?? '';
    const at = value.indexOf('=');
    if (words[i] === '--setParameter' && at > 0) parameters[value.slice(0, at)] = plain(value.slice(at + 1));
    else if (words[i] === '--oplogSize' && Number(value) > 0) oplogSizeMB = Number(value);
    else
      throw new InvalidOptions(
        [
          `${where}: cannot use ${[words[i], value].join(' ').trim()}: only --setParameter NAME=VALUE and --oplogSize MB`,
        ],
        asked,
      );
  }
  return {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(oplogSizeMB !== undefined && { oplogSizeMB }),
  };
}

/** A number or a boolean stands for itself; everything else is text. */
function plain(text: string): unknown {
  return /^(true|false|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}
