import { Argument, Command, Option } from 'commander';
import { checkCommand } from './commands/check.ts';
import type { Shell } from './commands/completion.ts';
import { type ForecastCommandOptions, forecastCommand } from './commands/forecast.ts';
import type { InitOptions } from './commands/init.ts';
import { type ListOptions, listCommand } from './commands/list.ts';
import { runCommand } from './commands/run.ts';
import { addRunOptions, type RunOptions } from './commands/runOptions.ts';
import type { ServeCommandOptions } from './commands/serve.ts';
import type { StudioOptions } from './commands/studio.ts';
import { QUESTIONS, type Question, type WhyOptions, whyCommand } from './commands/why.ts';
import { explain } from './explain.ts';
import { ExitCodes, type Io } from './io.ts';
import { instant, lead, natural, port, speed, wholeNumber } from './values.ts';
import { VERSION } from './version.ts';

const SCENARIOS = 'scenario files, or folders of them, searched but for what is hidden and node_modules';

/**
 * The command line. @param args without `node` and the script
 * @returns the exit code: 0 all held, 1 something did not, 2 the input is wrong, 3 a bug of ours, 4 a disk
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

function commandLine(io: Io, done: (code: number) => void): Command {
  const program = new Command('replsim')
    .description('A MongoDB replica set that you can script, in virtual time')
    .version(VERSION)
    // What stands after a command is the command's: serve has a --version of its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .showHelpAfterError('(replsim --help shows what there is)');
  addRunOptions(
    program.command('run').description('play scenarios and say what held').argument('<path...>', SCENARIOS),
  ).action(async (paths: string[], options: RunOptions) => {
    const play = options.watch ? (await import('./commands/watch.ts')).watchCommand : runCommand;
    done(await play(paths, options, io));
  });
  program
    .command('check')
    .description('say what is wrong with scenario files, without running them')
    .argument('<path...>', SCENARIOS)
    .action(async (paths: string[]) => done(await checkCommand(paths, io)));
  program
    .command('list')
    .description('say which scenarios there are: files and names')
    .argument('[path...]', `${SCENARIOS} (default: scenarios)`)
    .option('--grep <text>', 'those whose name or file has it')
    .action(async (paths: string[], options: ListOptions) => done(await listCommand(paths, options, io)));
  program
    .command('diff')
    .description('say in words where two traces part')
    .argument('<a>', 'a file that run --trace has written')
    .argument('<b>', 'another')
    .action(async (a: string, b: string) => done(await (await import('./commands/diff.ts')).diffCommand([a, b], io)));
  program
    .command('why')
    .description('say what stood in the way of something that a scenario has not brought about')
    .argument('<file>', 'a scenario file')
    .addArgument(new Argument('<question>', 'what did not come about').choices(QUESTIONS))
    .argument('[subject...]', 'a member, an operation such as w1/13, a namespace, and with document an _id')
    .option('--at <instant>', 'ask about then, such as 19.5s (default: the end)', instant)
    .option('--on <member>', 'whose data (default: all), on which member a document (default: the primary)')
    .option('--seed <n>', "another seed than the scenario's own", wholeNumber)
    .option('--json', 'for programs')
    .action(async (path: string, question: Question, subjects: string[], options: WhyOptions) =>
      done(await whyCommand(path, question, subjects, options, io)),
    );
  program
    .command('forecast')
    .description('run a day of inserts, TTL and outages, and say how late and how big it gets')
    .argument('<file>', 'a forecast file')
    .option('--json', 'the whole result for programs, sample by sample')
    .option('--seed <n>', "another seed than the forecast's own", wholeNumber)
    .option('--documents <n>', 'simulate at most so many; more are stood for by fewer (default: 100000)', natural)
    .action(async (path: string, options: ForecastCommandOptions) => done(await forecastCommand(path, options, io)));
  addServe(program, io, done);
  program
    .command('studio')
    .description('the simulator in a browser: a page, served to this machine alone')
    .argument('[path]', 'a scenario file, or a folder of them (default: scenarios, if it is there)')
    .option('--port <n>', 'of the page (default: one that is free)', port)
    .action(async (path: string | undefined, options: StudioOptions) =>
      done(await (await import('./commands/studio.ts')).studioCommand(path, options, io)),
    );
  program
    .command('init')
    .description('begin: a folder with a first scenario, a CI file, an npm script; what is there stays')
    .argument('[folder]', 'of the project (default: this one)')
    .addOption(
      new Option('--ci <server>', 'whose file (default: github)').choices(['github', 'gitlab', 'jenkins', 'none']),
    )
    .action(async (folder: string | undefined, options: InitOptions) =>
      done((await import('./commands/init.ts')).initCommand(folder, options, io)),
    );
  program
    .command('completion')
    .description('print a script that completes replsim commands in a shell')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) =>
      done((await import('./commands/completion.ts')).completionCommand(shell, program, io)),
    );
  return program;
}

function addServe(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('serve')
    .description('a set on real ports (of this machine alone), for drivers and mongosh')
    .option('--members <n>', 'how many members, 1 to 50 (default: 3)', natural)
    .option('--spares <n>', 'processes more, outside the config, for rs.add() (default: 0)', wholeNumber)
    .option('--port <n>', 'of the first member; the others take those that follow (default: 27017)', port)
    .option('--bind <ip>', 'a loopback address (default: 127.0.0.1)')
    .option('--replSet <name>', 'the name of the set (default: rs0)')
    .option('--dbpath <dir>', 'keep the data there, one folder a member; without it, in memory')
    .option('--accept-empty', 'begin anew where members had data and none has any now')
    .option(
      '--speed <n>',
      'virtual seconds a second while no command is under way; 0 holds time still (default: 1)',
      speed,
    )
    .option(
      '--max-lead <duration>',
      'from speed 1 on: how far commands may carry time ahead of the wall clock (default: 250ms)',
      lead,
    )
    .option('--seed <n>', 'of all chance (default: 1)', wholeNumber)
    .addOption(
      new Option('--version <release>', 'which mongod to be (default: 8.0)').choices([
        '8.0',
        '8.2',
        '7.0',
        '6.0',
        '4.4',
        '3.2',
      ]),
    )
    .option('--config <file>', 'a scenario file, whose set it is to be')
    .option('--setParameter <name=value...>', 'for every member, at startup')
    .option('--any-user <password...>', 'let in who logs in with it, as whatever user; nobody has to')
    .option('--no-initiate', 'leave it to rs.initiate()')
    .option('--record <file>', 'write what comes from outside as a scenario, for replsim run')
    .option('--trace <file>', 'write every event as a line of JSON')
    .option('--studio <port>', 'show it on a page, to this machine alone; 0 for a port that is free', port)
    .option('--invariants', 'hold the invariants against the set, as run does (default: where CI is set)')
    .option('--no-invariants', 'do not, even where CI is set')
    .option('--force', 'overwrite what these two files hold')
    .option('--json', 'events as lines of JSON')
    .option('--quiet', 'no line an event, which is faster')
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import('./commands/serve.ts');
      done(await serveCommand(options, io));
    });
}
