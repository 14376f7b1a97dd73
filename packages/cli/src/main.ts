import { Argument, Command, Option } from 'commander';
import { checkCommand } from './commands/check.ts';
import type { CompareOptions } from './commands/compare.ts';
import type { Shell } from './commands/completion.ts';
import type { ControlOptions } from './commands/control.ts';
import type { DrawOptions } from './commands/draw.ts';
import type { ExploreCommandOptions } from './commands/explore.ts';
import { type ForecastCommandOptions, forecastCommand } from './commands/forecast.ts';
import type { ImportOptions } from './commands/import.ts';
import type { InitOptions } from './commands/init.ts';
import { type ListOptions, listCommand } from './commands/list.ts';
import type { MeasureCommandOptions } from './commands/measure.ts';
import type { MergeOptions } from './commands/merge.ts';
import type { QueueAction, QueueOptions } from './commands/queue.ts';
import { runCommand } from './commands/run.ts';
import { addRunOptions, type RunOptions } from './commands/runOptions.ts';
import type { ServeCommandOptions } from './commands/serve.ts';
import type { ShrinkCommandOptions } from './commands/shrink.ts';
import type { StudioOptions } from './commands/studio.ts';
import { type WhyOptions, whyCommand } from './commands/why.ts';
import { QUESTIONS, type Question } from './commands/whyAnswers.ts';
import type { WorkerOptions } from './commands/worker.ts';
import { explain } from './explain.ts';
import { MODES } from './exploring/question.ts';
import { ExitCodes, type Io } from './io.ts';
import { addChoices } from './reporters/choices.ts';
import { duration, instant, lead, natural, port, queueName, range, shard, speed, wholeNumber } from './values.ts';
import { VERSION } from './version.ts';

const SCENARIOS = 'scenario files or folders; folders are searched recursively, except hidden ones and node_modules';

/**
 * The command line. @param args without `node` and the script
 * @returns the exit code: 0 all held, 1 something did not, 2 the input is wrong, 3 a bug of ours, 4 a disk, 130 no answer yet
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  let code: number = ExitCodes.ok;
  const program = commandLine(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, io);
  }
}

/** What a command is given: where it writes, where its exit code goes, and the program that it belongs to. */
interface Host {
  readonly io: Io;
  readonly done: (code: number) => void;
  readonly program: Command;
}

function commandLine(io: Io, done: (code: number) => void): Command {
  const program = new Command('replsim')
    .description('A MongoDB replica set that you can script, in virtual time')
    .version(VERSION)
    // What stands after a command is the command's: serve has a --version of its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(run replsim --help for the list of commands)');
  for (const [name, define] of Object.entries(COMMANDS)) define(program.command(name), { io, done, program });
  return program;
}

/** Of an option that may stand there more than once. */
const eachOf = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Of what comes of an exploration. */
const EXPLORE_FORMATS = ['pretty', 'json', 'junit', 'github', 'html'] as const;

const EXPLORE_CODES =
  '\nExit codes: 0 nothing was found, 1 something was, 2 the input is wrong, 4 a disk, 130 interrupted before anything was found.';
const SHRINK_CODES =
  '\nExit codes: 0 shrunk, 2 the input is wrong or does not fail, 4 a disk, 130 interrupted: what is printed may be smaller still.';
const MEASURE_CODES =
  '\nExit codes: 0 measured, 1 no run came to its end, 2 the input is wrong, 4 a disk, 130 interrupted.';

/** Of what measures one scenario, or two. */
function addMeasureOptions(command: Command): Command {
  return command
    .addHelpText('after', MEASURE_CODES)
    .option('--seeds <from..to>', 'the seeds to play with (default: 1..100)', range)
    .option('--time <duration>', 'how long to go on, such as 5m', duration)
    .option('--jobs <n>', 'how many runs at once (default: the number of cores)', natural)
    .option('--csv <file>', 'also write a row for each run to this file; - prints them instead of the table')
    .option('--html <file>', 'also write a page with all figures and histograms to this file')
    .option('--force', 'overwrite existing --csv and --html files')
    .option('--shard <i/n>', 'play only this part of the seeds, such as 3/16; replsim merge joins the reports', shard)
    .option('--report <file>', 'write a report for replsim merge to this file (default with --shard: stdout)')
    .option('--queue <url>', 'have workers play the runs, by a queue on this Redis: redis://host:6379, or rediss://')
    .option('--queue-name <name>', 'with --queue: the name of the queue (default: explore)', queueName)
    .option('--range <n>', 'with --queue: how many seeds a worker takes at a time (default: 20)', natural)
    .option('--detach', 'with --queue: queue the runs and leave; the same command without it collects the results')
    .option('--json', 'print JSON');
}

/** All commands, in the order in which the help lists them. Those that few use, or that need much, are loaded when they run. */
const COMMANDS: Readonly<Record<string, (command: Command, host: Host) => Command>> = {
  run: (command, { io, done }) =>
    addRunOptions(command.description('run scenarios and report the results').argument('<path...>', SCENARIOS)).action(
      async (paths: string[], options: RunOptions) => {
        const play = options.watch ? (await import('./commands/watch.ts')).watchCommand : runCommand;
        done(await play(paths, options, io));
      },
    ),
  check: (command, { io, done }) =>
    command
      .description('check scenario files for mistakes without running them')
      .argument('<path...>', SCENARIOS)
      .action(async (paths: string[]) => done(await checkCommand(paths, io))),
  list: (command, { io, done }) =>
    command
      .description('list scenarios: their files and names')
      .argument('[path...]', `${SCENARIOS} (default: scenarios)`)
      .option('--grep <text>', 'only scenarios whose name or file contains the text')
      .action(async (paths: string[], options: ListOptions) => done(await listCommand(paths, options, io))),
  diff: (command, { io, done }) =>
    command
      .description('show where two traces differ, in words')
      .argument('<a>', 'a trace file written by run --trace')
      .argument('<b>', 'another trace file')
      .action(async (a: string, b: string) => done(await (await import('./commands/diff.ts')).diffCommand([a, b], io))),
  why: (command, { io, done }) =>
    command
      .description('explain why something did not happen in a scenario')
      .argument('<file>', 'a scenario file')
      .addArgument(new Argument('<question>', 'what to explain').choices(QUESTIONS))
      .argument('[subject...]', 'a member, an operation such as w1/13, or a namespace; for "document" also an _id')
      .option('--at <instant>', 'the instant to ask about, such as 19.5s (default: the end)', instant)
      .option('--on <member>', 'the member to look at (default: all; for a document: the primary)')
      .option('--seed <n>', "a seed to use instead of the scenario's own", wholeNumber)
      .option('--variant <name>', 'the variant of the scenario to ask about, as in measure')
      .option('--json', 'print JSON')
      .action(async (path: string, question: Question, subjects: string[], options: WhyOptions) =>
        done(await whyCommand(path, question, subjects, options, io)),
      ),
  draw: (command, { io, done }) =>
    command
      .description('draw the set at an instant, or what its members say to each other in a stretch of time')
      .argument('<file>', 'a scenario file')
      .option('--at <instant>', 'draw the set at this instant, such as 12s', instant)
      .option('--from <instant>', 'draw a sequence diagram from this instant', instant)
      .option('--to <instant>', 'draw a sequence diagram up to this instant', instant)
      .addOption(
        new Option('--format <format>', 'the format; mermaid is only for sequence diagrams')
          .choices(['svg', 'mermaid'])
          .default('svg'),
      )
      .option('--out <file>', 'write the picture to this file instead of printing it')
      .option('--force', 'overwrite an existing file')
      .option('--seed <n>', "a seed to use instead of the scenario's own", wholeNumber)
      .option('--variant <name>', 'the variant of the scenario to draw, as in measure')
      .action(async (path: string, options: DrawOptions) =>
        done(await (await import('./commands/draw.ts')).drawCommand(path, options, io)),
      ),
  explore: (command, { io, done }) =>
    addChoices(command, EXPLORE_FORMATS)
      .description('look for a run in which what a scenario claims does not hold, and shrink it')
      .addHelpText('after', EXPLORE_CODES)
      .argument('<file>', 'a scenario file')
      .addOption(new Option('--mode <mode>', 'what differs between runs').choices(MODES).default('faults'))
      .option(
        '--fault <fault>',
        'with --mode everywhere: what happens, such as "kill primary"; twice for pairs',
        eachOf,
      )
      .option('--pairs', 'with --mode everywhere: at each pair of instants; a single fault happens at both')
      .option('--kinds <list>', 'with --mode faults: the kinds of faults, such as kill,partition', (text) =>
        text.split(','),
      )
      .option('--at-most <n>', 'with --mode faults: how many faults a run has at most (default: 6)', natural)
      .option(
        '--members <list>',
        'with --mode faults: the members, or zones, that are affected, such as n1,n2',
        (text) => text.split(','),
      )
      .option('--during <duration>', 'faults begin within this time after the first step begins, such as 60s', duration)
      .option('--heal', 'with --mode faults: all faults end before the final checks (default)')
      .option('--no-heal', 'with --mode faults: half of the faults last until the run is over')
      .option('--runs <n>', 'how many runs at most (default: 1000; everywhere: all)', natural)
      .option('--time <duration>', 'how long to go on, such as 5m', duration)
      .option('--stop-at <n>', 'end at this many different findings (default: 1)', natural)
      .option('--seed <n>', "the first seed, instead of the scenario's own", wholeNumber)
      .option('--jobs <n>', 'how many runs at once (default: the number of cores)', natural)
      .option('--no-shrink', 'leave what is found as it is')
      .option('--out <folder>', 'write each finding to a file in this folder')
      .option('--shard <i/n>', 'play only this part of the runs, such as 3/16; replsim merge joins the reports', shard)
      .option('--queue <url>', 'have workers play the runs, by a queue on this Redis: redis://host:6379, or rediss://')
      .option('--queue-name <name>', 'with --queue: the name of the queue (default: explore)', queueName)
      .option('--range <n>', 'with --queue: how many runs a worker takes at a time (default: 20)', natural)
      .option('--detach', 'with --queue: queue the runs and leave; the same command without it collects the results')
      .option('--report <file>', 'write a report for replsim merge to this file (default with --shard: stdout)')
      .option('--json', 'the same as --reporter json')
      .action(async (path: string, { time, ...options }: ExploreCommandOptions & { time?: number }) => {
        const { exploreCommand } = await import('./commands/explore.ts');
        done(await exploreCommand(path, { ...options, ...(time !== undefined && { timeMicros: time }) }, io));
      }),
  merge: (command, { io, done }) =>
    addChoices(command, EXPLORE_FORMATS)
      .description('join the reports of shards: what one process would have reported')
      .argument('<report...>', 'files written by --shard --report of explore, measure or compare')
      .option('--out <folder>', 'write each finding to a file in this folder')
      .option('--allow-missing', 'go on although runs are missing, and list them')
      .option('--csv <file>', 'of a measurement: also write a row for each run to this file; - prints them')
      .option('--html <file>', 'of a measurement: also write a page with all figures and histograms to this file')
      .option('--force', 'overwrite existing --csv and --html files')
      .option('--json', 'the same as --reporter json')
      .action(async (paths: string[], options: MergeOptions) =>
        done(await (await import('./commands/merge.ts')).mergeCommand(paths, options, io)),
      ),
  worker: (command, { io, done }) =>
    command
      .description('play runs that others have queued with --queue of explore, measure or compare; it writes no file')
      .requiredOption('--queue <url>', 'the Redis with the queue: redis://host:6379, or rediss://')
      .option('--queue-name <name>', 'the name of the queue', queueName, 'explore')
      .option('--jobs <n>', 'how many runs at once (default: the number of cores)', natural)
      .action(async (options: WorkerOptions) =>
        done(await (await import('./commands/worker.ts')).workerCommand(options, io)),
      ),
  queue: (command, { io, done }) =>
    command
      .description('show what a queue is about and how far it is, or cancel it')
      .addArgument(new Argument('<action>', 'what to do').choices(['status', 'cancel']))
      .requiredOption('--queue <url>', 'the Redis with the queue: redis://host:6379, or rediss://')
      .option('--queue-name <name>', 'the name of the queue', queueName, 'explore')
      .option('--json', 'print JSON')
      .action(async (action: QueueAction, options: QueueOptions) =>
        done(await (await import('./commands/queue.ts')).queueCommand(action, options, io)),
      ),
  shrink: (command, { io, done }) =>
    command
      .description('take out of a failing scenario, or a recording, everything that its failure does not need')
      .addHelpText('after', SHRINK_CODES)
      .argument('<file>', 'a scenario or a recording that fails')
      .option('--seed <n>', "the seed with which it fails, instead of the scenario's own", wholeNumber)
      .option('--time <duration>', 'how long to go on, such as 5m', duration)
      .option('--out <file>', 'also write the result to this file')
      .option('--force', 'overwrite an existing file')
      .option('--json', 'print JSON')
      .action(async (path: string, options: ShrinkCommandOptions) =>
        done(await (await import('./commands/shrink.ts')).shrinkCommand(path, options, io)),
      ),
  measure: (command, { io, done }) =>
    addMeasureOptions(
      command
        .description('play a scenario and its variants with many seeds, and report how long, how many and how often')
        .argument('<file>', 'a scenario file'),
    ).action(async (path: string, options: MeasureCommandOptions) =>
      done(await (await import('./commands/measure.ts')).measureCommand(path, options, io)),
    ),
  compare: (command, { io, done }) =>
    addMeasureOptions(
      command
        .description('measure two scenarios with the same seeds, or show one run of each side by side')
        .argument('<a>', 'a scenario file')
        .argument('<b>', 'another scenario file')
        .option('--seed <n>', 'show one run of each, from the first difference in what comes about', wholeNumber),
    ).action(async (a: string, b: string, options: CompareOptions) =>
      done(await (await import('./commands/compare.ts')).compareCommand([a, b], options, io)),
    ),
  import: (command, { io, done }) =>
    command
      .description('turn rs.conf(), rs.status() and the logs of mongods into a scenario')
      .argument('<path...>', 'files or folders, also packed (.gz); - for what is piped in')
      .option('--out <file>', 'write the scenario to this file instead of printing it')
      .option('--force', 'overwrite an existing file')
      .option('--json', 'print JSON: what was inferred, and the scenario')
      .option(
        '--tries <n>',
        'play the scenario under up to n seeds, until it goes as the logs show; 0: do not play it (default: 20)',
        wholeNumber,
      )
      .action(async (paths: string[], options: ImportOptions) =>
        done(await (await import('./commands/import.ts')).importCommand(paths, options, io)),
      ),
  forecast: (command, { io, done }) =>
    command
      .description(
        'simulate a day of inserts, TTL and outages, and report how late deletes are and how large the data gets',
      )
      .argument('<file>', 'a forecast file')
      .option('--json', 'print the whole result as JSON, sample by sample')
      .option('--seed <n>', "a seed to use instead of the forecast's own", wholeNumber)
      .option(
        '--documents <n>',
        'simulate at most this many documents; larger numbers are scaled down (default: 100000)',
        natural,
      )
      .action(async (path: string, options: ForecastCommandOptions) => done(await forecastCommand(path, options, io))),
  serve: (command, { io, done }) =>
    serveReports(
      serveSockets(command)
        .description('run a set on real ports of this machine, for drivers and mongosh')
        .option('--members <n>', 'the number of members, 1 to 50 (default: 3)', natural)
        .option(
          '--spares <n>',
          'the number of extra processes outside the config, for rs.add() (default: 0)',
          wholeNumber,
        )
        .option('--port <n>', 'the port of the first member; the others use the ports after it (default: 27017)', port)
        .option('--replSet <name>', 'the name of the set (default: rs0)')
        .option('--dbpath <dir>', 'store the data in this folder, one subfolder per member (default: in memory)')
        .option('--accept-empty', 'start even if all data that the members had, or the newest of it, are gone')
        .option(
          '--speed <n>',
          'virtual seconds per second while no command is running; 0 stops time (default: 1)',
          speed,
        )
        .option(
          '--max-lead <duration>',
          'at speed 1 and above: how far commands may move time ahead of the wall clock (default: 250ms)',
          lead,
        )
        .option('--seed <n>', 'the seed of all randomness (default: 1)', wholeNumber)
        .addOption(
          new Option('--version <release>', 'the release of mongod to imitate (default: 8.0)').choices([
            '8.0',
            '8.2',
            '7.0',
            '6.0',
            '4.4',
            '3.2',
          ]),
        )
        .option(
          '--load <folder>',
          'begin with the data of mongodump or mongoexport: DB/COLLECTION.bson, DB.COLLECTION.json',
        )
        .option('--config <file>', 'take the set from this scenario file, or the settings from this mongod.conf')
        .option('--replset-config <file>', 'take the set from the output of rs.conf(), with ports of this machine')
        .option('--setParameter <name=value...>', 'a startup parameter for every member')
        .option('--oplogSize <mb>', 'the size of the oplog of every member, in MB', natural)
        .option('--any-user <password...>', 'let any user log in with this password; logging in is never required')
        .option('--auth', 'require clients to log in; needs --keyFile')
        .option('--noauth', 'access control stays off, whatever mongod.conf says')
        .option('--keyFile <file>', 'the key by which members know each other; turns --auth on')
        .option('--transitionToAuth', 'with --keyFile: clients and members may log in, but need not')
        .option('--no-initiate', 'do not initiate the set; rs.initiate() does')
        .option(
          '--exit-with-parent',
          'end when the process that started this one, be it by npx, has ended, even by kill -9',
        ),
    ).action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import('./commands/serve.ts');
      done(await serveCommand(options, io));
    }),
  control: (command, { io, done }) =>
    command
      .description('do something to a set that replsim serve --control serves, or ask it something')
      // Of these the command refuses all but numbers below 0.
      .allowUnknownOption()
      .argument(
        '<what>',
        'a fault, such as kill, or advance, until-primary, until-ttl-pass, step-down, speed, status …',
      )
      .argument('[value...]', 'as a scenario has it: kill primary, partition "[[n1], [n2, n3]]", advance 61s')
      .option('--at <address>', 'the address that serve printed (default: the variable REPLSIM_CONTROL)')
      .option('--until-primary', 'of a fault: wait for a new primary')
      .option('--within <duration>', 'give up after this much virtual time')
      .action(async (what: string, values: string[], options: ControlOptions) =>
        done(await (await import('./commands/control.ts')).controlCommand(what, values, options, io)),
      ),
  studio: (command, { io, done }) =>
    command
      .description('open the simulator in a browser; the page is served to this machine only')
      .argument('[path]', 'a scenario file or a folder (default: scenarios, if it exists)')
      .option('--port <n>', 'the port of the page (default: any free port)', port)
      .action(async (path: string | undefined, options: StudioOptions) =>
        done(await (await import('./commands/studio.ts')).studioCommand(path, options, io)),
      ),
  init: (command, { io, done }) =>
    command
      .description('set up a project: a first scenario, a CI file and an npm script; existing files are kept')
      .argument('[folder]', "the project's folder (default: the current one)")
      .addOption(
        new Option('--ci <server>', 'the CI server to write a file for (default: github)').choices([
          'github',
          'gitlab',
          'jenkins',
          'none',
        ]),
      )
      .action(async (folder: string | undefined, options: InitOptions) =>
        done((await import('./commands/init.ts')).initCommand(folder, options, io)),
      ),
  completion: (command, { io, done, program }) =>
    command
      .description('print a shell completion script')
      .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
      .action(async (shell: Shell) =>
        done((await import('./commands/completion.ts')).completionCommand(shell, program, io)),
      ),
};

/** What mongod calls these options as well, from before 4.2; its help does not list them either. */
const OLD_TLS_OPTIONS = [
  '--sslMode <mode>',
  '--sslPEMKeyFile <file>',
  '--sslPEMKeyPassword <password>',
  '--sslCAFile <file>',
  '--sslAllowConnectionsWithoutCertificates',
  '--sslAllowInvalidCertificates',
  '--sslDisabledProtocols <list>',
];

/** Who reaches a served set, and how. */
function serveSockets(command: Command): Command {
  for (const flags of OLD_TLS_OPTIONS) command.addOption(new Option(flags).hideHelp());
  return command
    .option(
      '--bind <ip>',
      'the address to listen on; one that others reach needs --keyFile and --tls (default: 127.0.0.1)',
    )
    .option(
      '--host-name <member=host:port...>',
      'how a member is called in the config, if clients know it by a name, as in n1=mongo1:27017',
    )
    .option('--i-know-it-is-open', 'let other machines reach the address of --bind without access control or TLS')
    .option('--any-client', 'the same as --bind 0.0.0.0 --i-know-it-is-open')
    .option('--maxConns <n>', 'how many connections a member takes at a time (default: 1000000)', natural)
    .option('--tls', 'TLS for every client, with a certificate that is made for this set')
    .addOption(
      new Option(
        '--tlsMode <mode>',
        'whether clients may or must use TLS (default: requireTLS with a certificate)',
      ).choices(['disabled', 'allowTLS', 'preferTLS', 'requireTLS']),
    )
    .option('--tlsCertificateKeyFile <file>', 'the certificate of the members and its private key, as PEM')
    .option('--tlsCertificateKeyFilePassword <password>', 'the password of that private key')
    .option('--tlsCAFile <file>', 'the authorities that certificates of clients must be issued by, as PEM')
    .option('--tlsAllowConnectionsWithoutCertificates', 'with --tlsCAFile: accept clients that have no certificate')
    .option(
      '--tlsAllowInvalidCertificates',
      'with --tlsCAFile: treat a client whose certificate is invalid as one without',
    )
    .option('--tlsDisabledProtocols <list>', 'versions that are not accepted: TLS1_2 or TLS1_3')
    .option(
      '--networkMessageCompressors <list>',
      'the compressors that members offer, or disabled (default: snappy,zstd,zlib)',
    );
}

/** What a served set tells, and to whom. */
function serveReports(command: Command): Command {
  return command
    .option('--record <file>', 'record what clients do as a scenario for replsim run')
    .option('--trace <file>', 'write every event to a file, one line of JSON each')
    .option('--studio <port>', 'serve the studio page for this set on this port; 0 for any free port', port)
    .option('--control <port>', 'accept faults, jumps and questions over HTTP on this port; 0 for any free port', port)
    .option('--invariants', 'check the invariants, as run does (default when CI is set)')
    .option('--no-invariants', 'do not check the invariants, even when CI is set')
    .option('--no-ledger', 'do not keep track of acknowledged writes and which of them are lost')
    .option('--force', 'overwrite existing --record and --trace files')
    .option('--json', 'print events as lines of JSON')
    .option('--quiet', 'do not print events, which is faster, nor that the set shuts down');
}
