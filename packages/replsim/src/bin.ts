#!/usr/bin/env node
import { main } from '@replsim/cli';
import { isSet } from './ci.ts';

// A reader that went away (`replsim run … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { NO_COLOR, FORCE_COLOR, CI } = process.env;
process.exitCode = await main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colours: !NO_COLOR && (Boolean(FORCE_COLOR) || process.stdout.isTTY),
  progress: process.stderr.isTTY,
  ci: isSet(CI),
  onInterrupt: (stop) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(130);
      asked = true;
      stop();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  },
});
