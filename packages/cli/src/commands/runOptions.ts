import type { Command } from 'commander';
import { addReporterOptions, type ReporterChoice } from '../reporters/choices.ts';
import { natural, positive, type Range, range, wholeNumber } from '../values.ts';

/** What `replsim run` may be asked. */
export interface RunOptions {
  readonly reporter?: readonly ReporterChoice[];
  readonly seed?: number;
  /** Play each with all of these. */
  readonly seeds?: Range;
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
    .option('--verbose', 'with several scenarios, a line for each instead of one for each folder')
    .option('--seed <n>', "another seed than the scenario's own", wholeNumber)
    .option('--seeds <from..to>', 'play each with every seed from one to another', range)
    .option('--grep <text>', 'only those whose name or file has it')
    .option('--trace <file>', 'write every event as a line of JSON')
    .option('--causes', 'in that file, say what came of what')
    .option('--html <file>', 'write a page that shows the run, in one file')
    .option('--force', 'overwrite what those files hold')
    .option('--logs <dir>', "write each member's log, as mongod would; with several scenarios, a folder for each")
    .option('--ttl-report', 'say how late TTL deleted documents, and why')
    .option('--speed <n>', 'virtual seconds a second; without it, as fast as it goes', positive)
    .option(
      '--check-determinism',
      'play each scenario twice in this process, and say where the traces part, if they do',
    )
    .option('--jobs <n>', 'play so many scenarios at once (default: as many as there are cores)', natural)
    .option('--watch', 'go on, and play again what changes; h shows the keys')
    .option('--bail', 'stop at the first failure')
    .option('-u, --update', 'rewrite transcripts; with a single scenario, make one');
}
