import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LateFile, openLate } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import type { PrettyOptions } from './pretty.ts';
import type { Reporter } from './reporter.ts';

/** All formats, by name; loaded when they are asked for. */
const REPORTERS = {
  pretty: async (io: Io, options: PrettyOptions) => (await import('./pretty.ts')).prettyReporter(io, options),
  json: async (io: Io) => (await import('./json.ts')).jsonReporter(io),
  junit: async (io: Io) => (await import('./junit.ts')).junitReporter(io),
  tap: async (io: Io, { paths }: PrettyOptions) => (await import('./tap.ts')).tapReporter(io, paths.length),
  github: async (io: Io) => (await import('./github.ts')).githubReporter(io),
  html: async (io: Io) => (await import('./html.ts')).htmlReporter(io),
} as const satisfies Record<string, (io: Io, options: PrettyOptions) => Promise<Reporter>>;

/** GitHub finds its annotations among whatever else is said. */
const BESIDE_OTHERS: readonly string[] = ['github'];

/** A reporter that is asked for, and the file that it writes to instead of stdout. */
export interface ReporterChoice<Name extends string = keyof typeof REPORTERS> {
  readonly name: Name;
  readonly output?: string;
}

/** `--reporter NAME [--output FILE]`, as often as one likes; the choices come under `reporter`. */
export function addReporterOptions(command: Command): Command {
  return addChoices(command, Object.keys(REPORTERS) as (keyof typeof REPORTERS)[]);
}

/** The same with other formats. */
export function addChoices<Name extends string>(command: Command, names: readonly Name[]): Command {
  const choices: ReporterChoice<Name>[] = [];
  const reporter = new Option('--reporter <name>', 'the format of the results; can be repeated (default: pretty)')
    .choices([...names])
    .argParser((given: string) => {
      const name = names.find((each) => each === given);
      if (name === undefined) throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.`);
      choices.push({ name });
      return choices;
    });
  const output = new Option('--output <file>', 'the file for the preceding reporter (default: stdout)').argParser(
    (file: string) => {
      const last = choices.pop();
      if (last === undefined) throw new InvalidArgumentError('Write it after the --reporter whose output goes there.');
      if (last.output !== undefined) throw new InvalidArgumentError(`${last.name} writes to ${last.output} already.`);
      choices.push({ ...last, output: file });
      return file;
    },
  );
  return command.addOption(reporter).addOption(output);
}

/** Reporters as one, and the files that they write to. */
export interface OpenReporters extends Required<Reporter> {
  close(): void;
}

/** @throws InputError for two in one place, and for files that cannot be written */
export async function openReporters(
  chosen: readonly ReporterChoice[],
  io: Io,
  options: PrettyOptions,
): Promise<OpenReporters> {
  const { ios, close } = openAll(chosen, io);
  const reporters: Reporter[] = [];
  for (const { name, io: each } of ios) reporters.push(await REPORTERS[name](each, options));
  return {
    began: (...given) => void reporters.map((each) => each.began?.(...given)),
    line: (text) => void reporters.map((each) => each.line?.(text)),
    finished: (outcome) => void reporters.map((each) => each.finished?.(outcome)),
    ended: (played) => void reporters.map((each) => each.ended(played)),
    brokenOff: (why) => void reporters.map((each) => each.brokenOff?.(why)),
    close,
  };
}

/** Where each of them writes, and what closes that. @throws InputError as above */
export function openAll<Name extends string>(
  chosen: readonly ReporterChoice<Name>[],
  io: Io,
): { readonly ios: readonly { readonly name: Name; readonly io: Io }[]; readonly close: () => void } {
  refuseTwoInOnePlace(chosen);
  const files: LateFile[] = [];
  const ios = chosen.map(({ name, output }) => {
    if (output === undefined) return { name, io };
    const file = openLate(output, `${name} report`, true);
    files.push(file);
    return { name, io: ioOfFile(file, io) };
  });
  return { ios, close: () => void files.map((file) => file.close()) };
}

function refuseTwoInOnePlace(chosen: readonly ReporterChoice<string>[]): void {
  const taken = new Map<string, string>();
  for (const { name, output = 'stdout' } of chosen) {
    if (output === 'stdout' && BESIDE_OTHERS.includes(name)) continue;
    const other = taken.get(output);
    if (other !== undefined)
      throw new InputError(`--reporter: ${other} and ${name} would both write to ${output}; give one an --output FILE`);
    taken.set(output, name);
  }
}

function ioOfFile({ write }: LateFile, { stepSummary }: Io): Io {
  return {
    out: write,
    err() {},
    colours: false,
    progress: false,
    ...(stepSummary !== undefined && { stepSummary }),
  };
}
