import { availableParallelism } from 'node:os';
import { isatty } from 'node:tty';
import { main } from '@replsim/cli';
import { isSet } from './ci.ts';
import { keysOf } from './keys.ts';
import { drawsOver, showsColours } from './terminal.ts';

/** Whoever asked for the end, as a terminal that closes does, may not be there to read of it. */
let stopping = false;

// A reader that went away (`replsim run … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (stopping) return;
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  // The results are for somebody else.
  if (!stopping && error.code !== 'EPIPE') throw error;
});

const code = main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colours: showsColours(process.env, process.stdout.isTTY),
  progress: drawsOver(process.env, process.stderr.isTTY),
  ci: isSet(process.env.CI),
  ...(process.env.GITHUB_STEP_SUMMARY && { stepSummary: process.env.GITHUB_STEP_SUMMARY }),
  processes: { program: new URL('../../bin/player.js', import.meta.url), atOnce: availableParallelism() },
  studioPage: new URL('../studio/', import.meta.url),
  // Not by `process.stdin`, which is opened where it is first named.
  ...(isatty(0) && { onKey: (pressed) => keysOf(process.stdin, pressed, () => process.kill(process.pid, 'SIGINT')) }),
  onInterrupt: (stop) => {
    const onSignal = () => {
      if (stopping) process.exit(130);
      stopping = true;
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  },
});
// No await: what is required cannot wait.
code.then((exitCode) => {
  process.exitCode = exitCode;
  // Node would wait for what V8 compiles in the background, for nobody.
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
});
