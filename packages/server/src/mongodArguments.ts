/** What of a mongod's command line has a meaning here. */
export interface ProcessArguments {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly oplogSizeMB?: number;
}

/** Arguments as they were understood. */
export interface ReadArguments {
  readonly process: ProcessArguments;
  /** Those of which nothing can be made, with their values. */
  readonly unusable: readonly string[];
}

/** Reads arguments as a mongod takes them: `--setParameter NAME=VALUE`, `--oplogSize MB`, `--networkMessageCompressors LIST`. */
export function readArguments(args: readonly string[]): ReadArguments {
  const parameters: Record<string, unknown> = {};
  const unusable: string[] = [];
  let oplogSizeMB: number | undefined;
  for (const { name, value } of withValues(args)) {
    const at = value.indexOf('=');
    if (name === '--setParameter' && at > 0) parameters[value.slice(0, at)] = plain(value.slice(at + 1));
    else if (name === '--networkMessageCompressors' && value !== '') parameters.networkMessageCompressors = value;
    else if (name === '--oplogSize' && Number(value) > 0) oplogSizeMB = Number(value);
    else unusable.push(`${name} ${value}`.trim());
  }
  const process = {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(oplogSizeMB !== undefined && { oplogSizeMB }),
  };
  return { process, unusable };
}

/** `--name=value` and `--name value` alike; what begins with a dash is no value. */
function withValues(args: readonly string[]): { readonly name: string; readonly value: string }[] {
  const found: { name: string; value: string }[] = [];
  for (let i = 0; i < args.length; i++) {
    const [word = '', next] = args.slice(i);
    const [, name, value] = /^(--\w+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) found.push({ name, value });
    else if (next === undefined || next.startsWith('-')) found.push({ name: word, value: '' });
    else found.push({ name: word, value: args[++i] ?? '' });
  }
  return found;
}

/** A number or a boolean stands for itself; everything else is text. */
function plain(text: string): unknown {
  return /^(true|false|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}
