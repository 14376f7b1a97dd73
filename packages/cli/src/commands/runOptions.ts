import { type Command, Option } from 'commander';
import { TRANSCRIPT_CHOICES, type TranscriptChoice } from '../playing/shownLines.ts';
import { addReporterOptions, type ReporterChoice } from '../reporters/choices.ts';
import { natural, positive, type Range, range, wholeNumber } from '../values.ts';

/** What `replsim run` may be asked. */
export interface RunOptions {
  readonly reporter?: readonly ReporterChoice[];
  readonly seed?: number;
  /** Play each with all of these. */
  readonly seeds?: Range;
  /** The one of each scenario's variants that is played; undefined: as it is written. */
  readonly variant?: string;
  /** How much of the transcript is shown; undefined: all. */
  readonly transcript?: TranscriptChoice;
  /** A part of the name or the file of those to play. */
  readonly grep?: string;
  /** A file that gets every event as a line of JSON. */
  readonly trace?: string;
  /** In which each event says what it came of. */
  readonly causes?: boolean;
  /** A file that gets the studio's page with the run in it. */
  readonly html?: string;
  /** What those files hold already may be lost. */
  readonly force?: boolean;
  /** A folder that gets one log file a member; with several scenarios, one folder for each. */
  readonly logs?: string;
  /** Play each twice, and compare. */
  readonly checkDeterminism?: boolean;
  readonly bail?: boolean;
  /** How many scenarios are played at once. */
  readonly jobs?: number;
  /** Virtual seconds a second of the wall clock. */
  readonly speed?: number;
  /** Say how late TTL deleted documents, and why. */
  readonly ttlReport?: boolean;
  /** Of several scenarios, say of each that it held. */
  readonly verbose?: boolean;
  /** Go on, and play again what changes. */
  readonly watch?: boolean;
  /** Rewrite transcripts instead of comparing. */
  readonly update?: boolean;
}

/** The options of `replsim run`, in the order in which its help shows them. */
export function addRunOptions(command: Command): Command {
  return addReporterOptions(command)
    .addOption(
      new Option('--transcript <part>', 'how much of the transcript to show (default: all)').choices(
        TRANSCRIPT_CHOICES,
      ),
    )
    .option('--verbose', 'with several scenarios, print a line for each instead of one per folder')
    .option('--seed <n>', "a seed to use instead of the scenario's own", wholeNumber)
    .option('--seeds <from..to>', 'run each scenario with every seed in this range', range)
    .option('--variant <name>', 'play this variant of each scenario, as measure does')
    .option('--grep <text>', 'only scenarios whose name or file contains the text')
    .option('--trace <file>', 'write every event to a file, one line of JSON each')
    .option('--causes', 'add to each event in that file what caused it')
    .option('--html <file>', 'write a self-contained page that shows the run')
    .option('--force', 'overwrite existing --trace and --html files')
    .option('--logs <dir>', "write each member's log in mongod's format; with several scenarios, one folder each")
    .option('--ttl-report', 'report how late TTL deleted documents, and why')
    .option('--speed <n>', 'virtual seconds per second (default: as fast as possible)', positive)
    .option('--check-determinism', 'run each scenario twice in this process and report where the traces differ')
    .option('--jobs <n>', 'how many scenarios to run at once (default: the number of cores)', natural)
    .option('--watch', 'keep running, and rerun scenarios when they change; h lists the keys')
    .option('--bail', 'stop at the first failure')
    .option('-u, --update', 'rewrite existing transcripts; with a single scenario, create one');
}
