import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers';
import { isatty } from 'node:tty';
import { explain, main } from '@replsim/cli';
import { isSet } from './ci.ts';
import { keysOf } from './keys.ts';
import { whenStarterGone } from './parents.ts';
import { drawsOver, showsColours } from './terminal.ts';

/** After a signal to stop, the reader of our output may be gone, for example because the terminal closed. */
let stopping = false;

// It is not an error if the reader goes away, as in `replsim run … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (stopping && error.code !== 'ENOSPC') return;
  process.exit(explain(error, { err: (text) => void process.stderr.write(text) }));
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  // Results go to stdout, so losing the reader of stderr does not matter; no room is no reader who left.
  if (!stopping && error.code !== 'EPIPE') process.exit(explain(error, { err: () => {} }));
});

const code = main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colours: showsColours(process.env, process.stdout.isTTY),
  progress: drawsOver(process.env, process.stderr.isTTY),
  ci: isSet(process.env.CI),
  ...(process.env.GITHUB_STEP_SUMMARY && { stepSummary: process.env.GITHUB_STEP_SUMMARY }),
  processes: { program: new URL('../../bin/player.js', import.meta.url), atOnce: availableParallelism() },
  drawings: async () => (await import('@replsim/studio/draw')).drawingsOf,
  studioPage: new URL('../studio/', import.meta.url),
  // Do not test `process.stdin`, because merely mentioning it opens it.
  ...(isatty(0) && { onKey: (pressed) => keysOf(process.stdin, pressed, () => process.kill(process.pid, 'SIGINT')) }),
  onInterrupt: (stop) => {
    const onSignal = () => {
      if (stopping) process.exit(130);
      stopping = true;
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  },
  onParentGone: (stop) => {
    whenStarterGone(() => {
      stopping = true;
      stop();
    });
  },
});
// No top-level await, because `require` does not support it.
code.then((exitCode) => {
  process.exitCode = exitCode;
  // A stream tells of what it could not write in the next turn only.
  setImmediate(() => {
    // Otherwise Node would wait for background compilation whose result nobody needs.
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  });
});
